# SPDX-License-Identifier: Apache-2.0
"""The use cases: one write (receive, admit, append, close what is due) and the reads beside it."""
