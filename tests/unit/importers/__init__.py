# SPDX-License-Identifier: Apache-2.0
"""Reports of other tools, friendly and hostile."""
