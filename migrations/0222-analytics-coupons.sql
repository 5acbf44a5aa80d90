-- expand: code from 0016 can run on this schema.
-- coupons_issued: coupons by the day on which they were given, without those that the platform refused.
alter table daily_metrics add column coupons_issued bigint not null default 0;

create or replace view rolled_up_metrics with (security_invoker = true) as
  select d.store_id, d.plan_id, d.day, f.metric, ''::text as detail, f.amount
    from daily_metrics d
   cross join lateral (values
     ('members_active', d.members_active::numeric),
     ('members_paused', d.members_paused::numeric),
     ('members_new', d.members_new::numeric),
     ('members_cancelled', d.members_cancelled::numeric),
     ('yearly_value', d.yearly_value::numeric),
     ('at_risk', d.at_risk::numeric),
     ('charges_pending', d.charges_pending::numeric),
     ('charges_succeeded', d.charges_succeeded::numeric),
     ('charges_failed', d.charges_failed::numeric),
     ('recovered', d.recovered::numeric),
     ('revenue', d.revenue::numeric),
     ('refunds', d.refunds::numeric),
     ('credit_balance', d.credit_balance::numeric),
     ('credit_issued', d.credit_issued::numeric),
     ('credit_redeemed', d.credit_redeemed::numeric),
     ('credit_expired', d.credit_expired::numeric),
     ('points_issued', d.points_issued::numeric),
     ('points_redeemed', d.points_redeemed::numeric),
     ('coupons_issued', d.coupons_issued::numeric)) f(metric, amount)
   where f.amount <> 0
  union all
  select c.store_id, c.plan_id, c.day, 'cancellations', c.reason, c.cancellations from daily_cancellations c;

-- Those that there are already.
insert into metric_changes (store_id, plan_id, day, metric, amount)
select c.store_id, c.plan_id, (c.created_at at time zone s.timezone)::date, 'coupons_issued', count(*)
  from loyalty_coupons c join stores s on s.store_id = c.store_id
 where c.ended_by is distinct from 'refused'
 group by 1, 2, 3;
