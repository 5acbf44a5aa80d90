-- expand: code from 0016 can run on this schema.
-- A tier that a customer has had before the store came here, by an import: it holds until its first review, whatever the entry rules say.
create table loyalty_granted_tiers (
  store_id bigint not null references stores,
  member_id bigint not null,
  tier_id bigint not null,
  granted_at timestamptz not null,
  holds_until timestamptz not null,
  primary key (store_id, member_id),
  foreign key (store_id, member_id) references members,
  foreign key (store_id, tier_id) references loyalty_tiers
);
select protect_table('loyalty_granted_tiers');
