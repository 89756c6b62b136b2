# SPDX-License-Identifier: Apache-2.0
"""The log: the leaf record, the RFC 6962 tree over it, and the C2SP texts that publish it."""
