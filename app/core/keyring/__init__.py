# SPDX-License-Identifier: Apache-2.0
"""Who may sign what, for which repository, from which index on."""
