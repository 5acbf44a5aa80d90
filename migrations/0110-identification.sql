-- expand: code from 0016 can run on this schema.
-- Codes that were asked for to identify a customer, until they have expired. The code itself is not stored: it is derived from the row's
-- id with a key that is not in the database. All times are store time.
create table identification_codes (
  store_id bigint not null references stores,
  -- Random, and known only to whoever asked.
  id text not null,
  -- Whose address was given; null: nobody's here. The rows do not differ otherwise.
  member_id bigint,
  tries smallint not null default 0 check (tries between 0 and 5),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- When it was exchanged for a token: it is good for one.
  used_at timestamptz,
  primary key (store_id, id),
  foreign key (store_id, member_id) references members (store_id, id)
);
create index identification_codes_expiring on identification_codes (store_id, expires_at);
create index identification_codes_of_member on identification_codes (store_id, member_id) where member_id is not null;
select protect_table('identification_codes');
