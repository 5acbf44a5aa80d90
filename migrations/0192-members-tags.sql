-- expand: code from 0016 can run on this schema.
-- The tags that customers have on the platform, each with the platform's time of it: an older report changes nothing. A tag that was taken off
-- stays as a row, so that a late report does not bring it back.
create table customer_tags (
  store_id bigint not null references stores,
  member_id bigint not null,
  -- The platform ignores case.
  tag_key text not null,
  is_present boolean not null,
  reported_at timestamptz not null,
  primary key (store_id, member_id, tag_key),
  foreign key (store_id, member_id) references members
);
select protect_table('customer_tags');
