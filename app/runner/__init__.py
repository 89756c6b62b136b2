# SPDX-License-Identifier: Apache-2.0
"""The client's side: statements are composed, signed and sent here; only the core is known."""
