-- The next billing date that the platform's contract had when we last looked or set it ourselves: only against it can be told
-- whether somebody moved the date there. Null until the first look.
alter table subscriptions add column platform_next_billing_at timestamptz;

-- Who has lost the last membership has no tier any more; the plan stays known as the one last held.
create or replace view member_resources with (security_invoker = true) as
  select m.store_id, m.id, m.platform_customer_id, m.email, m.first_name, m.last_name, m.status, m.plan_id,
         p.name as plan_name, case when m.status <> 'cancelled' then p.tier_name end as tier,
         coalesce(l.balance, 0) as loyalty_points, coalesce(c.balance_minor, 0) as store_credit_minor, m.birth_date,
         m.member_since, m.next_billing_at, m.created_at, greatest(m.updated_at, c.updated_at, l.updated_at) as updated_at
    from members m
    left join plans p on p.store_id = m.store_id and p.id = m.plan_id
    left join credit_accounts c on c.store_id = m.store_id and c.member_id = m.id
    left join points_accounts l on l.store_id = m.store_id and l.member_id = m.id
   where m.status is not null;
