# SPDX-License-Identifier: Apache-2.0
"""REST under ``/v1``, the log as published, and health; every refusal is a problem."""
