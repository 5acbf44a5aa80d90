-- expand: code from 0016 can run on this schema.
-- The reservation that an entry captured: its credit is restored for the time that it had left when it was reserved.
create index credit_reservations_captured on credit_reservations (store_id, entry_id) where entry_id is not null;
