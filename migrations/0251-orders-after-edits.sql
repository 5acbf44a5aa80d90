-- expand: code from 0016 can run on this schema.
-- Whether prices include tax, and what an order comes to after edits, returns and refunds. Null where the platform has not said so: the second
-- is kept only where something of the order is gone.
alter table orders add column is_tax_included boolean;
alter table orders add column current_total_minor bigint;
