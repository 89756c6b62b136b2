# SPDX-License-Identifier: Apache-2.0
"""Append-only, crashes, two writers, and every migration from empty."""
