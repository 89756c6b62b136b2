# SPDX-License-Identifier: Apache-2.0
"""The life of a study and of its slots, as a function of entries and log time."""
