-- expand: code from 0016 can run on this schema.
-- The plan of the customer when the coupon was given, for the metrics of plans.
alter table loyalty_coupons add column plan_id bigint;
update loyalty_coupons c set plan_id = m.plan_id
  from members m where m.store_id = c.store_id and m.id = c.member_id and m.plan_id is not null;
