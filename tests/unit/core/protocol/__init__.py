# SPDX-License-Identifier: Apache-2.0
"""Does the rule hold? No I/O, fakes for ports."""
