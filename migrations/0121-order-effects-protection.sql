-- expand: code from 0016 can run on this schema.
-- Disputes for which money is gone or claimed, each since it was first seen so: whether the shop was protected then, which is not
-- changed by a later setting.
create table followed_disputes (
  store_id bigint not null references stores,
  platform_dispute_id text not null,
  order_id bigint not null,
  is_protected boolean not null,
  followed_at timestamptz not null,
  primary key (store_id, platform_dispute_id),
  foreign key (store_id, order_id) references orders
);
select protect_table('followed_disputes');

-- Those of before were followed whatever the setting said.
insert into followed_disputes (store_id, platform_dispute_id, order_id, is_protected, followed_at)
select store_id, platform_dispute_id, order_id, true, created_at
  from order_disputes
 where status in ('lost', 'accepted') or (type = 'chargeback' and status not in ('won', 'prevented', 'charge_refunded'));
