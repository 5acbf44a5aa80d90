-- expand: code from 0016 can run on this schema.
-- Offers to people who cancel, by the day on which they were shown or accepted. offers_shown has no plan, since nobody knows to whom it
-- was; offers_saved are those of offers_accepted whose contract has not ended.
alter table daily_metrics
  add column offers_shown bigint not null default 0,
  add column offers_accepted bigint not null default 0,
  add column offers_saved bigint not null default 0;

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
     ('coupons_issued', d.coupons_issued::numeric),
     ('offers_shown', d.offers_shown::numeric),
     ('offers_accepted', d.offers_accepted::numeric),
     ('offers_saved', d.offers_saved::numeric)) f(metric, amount)
   where f.amount <> 0
  union all
  select c.store_id, c.plan_id, c.day, 'cancellations', c.reason, c.cancellations from daily_cancellations c;

-- Those that there are already.
insert into metric_changes (store_id, plan_id, day, metric, amount)
select w.store_id, null, w.day, 'offers_shown', sum(w.times)
  from churn_shown w where w.offer_id <> 0 group by 1, 3;

insert into metric_changes (store_id, plan_id, day, metric, amount)
select o.store_id, o.plan_id, (o.accepted_at at time zone s.timezone)::date, f.metric, count(*)
  from contract_offers o join stores s on s.store_id = o.store_id
  join (values ('offers_accepted'), ('offers_saved')) f(metric) on f.metric = 'offers_accepted' or o.lost_at is null
 where o.status <> 'applying'
 group by 1, 2, 3, 4;
