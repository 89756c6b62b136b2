# SPDX-License-Identifier: Apache-2.0
"""May this statement enter, at this index and this time, and what stands there once it has?"""
