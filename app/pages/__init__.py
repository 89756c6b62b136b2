# SPDX-License-Identifier: Apache-2.0
"""Pages for people: server-rendered, without scripts, and saying no more than the verdict says."""
