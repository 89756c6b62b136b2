# SPDX-License-Identifier: Apache-2.0
"""Fixed vectors of our own, each with the script that makes it."""
