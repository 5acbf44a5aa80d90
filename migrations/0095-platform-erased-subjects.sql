-- expand: code from 0016 can run on this schema.
-- Customers and orders whose person was erased, by pseudonyms: what is reported of them later is stored without the person. The key of the
-- pseudonyms is not in the database.
create table erased_subjects (
  store_id bigint not null references stores,
  -- HMAC-SHA256 of `customer:<number>` or `order:<number>`.
  subject_key bytea not null,
  -- Our row of the customer; null where there is none, and for orders.
  member_id bigint,
  erased_at timestamptz not null,
  primary key (store_id, subject_key)
);
select protect_table('erased_subjects');
