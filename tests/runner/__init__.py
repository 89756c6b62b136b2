# SPDX-License-Identifier: Apache-2.0
"""A fake inference server and everything it does wrong."""
