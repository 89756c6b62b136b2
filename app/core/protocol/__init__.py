# SPDX-License-Identifier: Apache-2.0
"""What was declared before anything ran: its slots, its gates, and what may not be locked."""
