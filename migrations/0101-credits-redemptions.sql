-- expand: code from 0016 can run on this schema.
-- The latest redemption of a customer.
create index credit_entries_redeeming on credit_entries (store_id, member_id, id) where type = 4;
