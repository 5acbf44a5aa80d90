-- The Member resource of the API and of the events: one definition, although its fields come from four modules.
-- A member whose last membership has ended has no tier; the plan stays, as the one held last.
create view member_resources with (security_invoker = true) as
  select m.store_id, m.id, m.platform_customer_id, m.email, m.first_name, m.last_name, m.status, m.plan_id,
         p.name as plan_name, case when m.status <> 'cancelled' then p.tier_name end as tier,
         coalesce(l.balance, 0) as loyalty_points, coalesce(c.balance_minor, 0) as store_credit_minor, m.birth_date,
         m.member_since, m.next_billing_at, m.created_at, greatest(m.updated_at, c.updated_at, l.updated_at) as updated_at
    from members m
    left join plans p on p.store_id = m.store_id and p.id = m.plan_id
    left join credit_accounts c on c.store_id = m.store_id and c.member_id = m.id
    left join points_accounts l on l.store_id = m.store_id and l.member_id = m.id
   where m.status is not null;
grant select on member_resources to perennial_store, perennial_operator;

-- Lists with exact totals at any offset, without counting rows. See docs/decisions/0006-maintained-counts.md.
--
-- A list (members, subscriptions, billing_attempts) has facets: all of it, one status, one plan, one plan in one status.
-- For each facet, list_blocks divides its order (at, id) into blocks with their number of rows, and list_changes holds
-- what has been written since. In every snapshot, over every range whose edges are edges of blocks:
--   rows of the facet = sum of list_blocks.rows + sum of list_changes.delta
-- Writers only append to list_changes, so that they never wait for each other; roll_up_list_totals moves changes into blocks.

-- There is no foreign key: each change was made from a row that has one, and is soon deleted.
create table list_changes (
  store_id bigint not null,
  list text collate "C" not null,
  change_id bigint generated always as identity,
  at timestamptz not null,
  id bigint not null,
  plan_id bigint,
  status text collate "C" not null,
  -- +1: the row now has this key, plan and status. -1: it no longer has.
  delta smallint not null check (delta in (-1, 1)),
  primary key (store_id, list, change_id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
select protect_table('list_changes');

create table list_blocks (
  store_id bigint not null references stores,
  list text collate "C" not null,
  -- The facet. 0: every plan. '': every status.
  plan_id bigint not null,
  status text collate "C" not null,
  -- 0: blocks of about a thousand rows. 1: chapters of some dozen blocks; each begins where a block does.
  level smallint not null check (level in (0, 1)),
  -- A block reaches from here to the next one of its facet and level. The first begins at (-infinity, 0).
  from_at timestamptz not null,
  from_id bigint not null,
  rows bigint not null,
  primary key (store_id, list, plan_id, status, level, from_at, from_id)
) with (fillfactor = 50);
select protect_table('list_blocks');

-- The rows of the lists: one per member, subscription and attempt, by the key of its order.
create view list_rows with (security_invoker = true) as
  select store_id, 'members'::text collate "C" as list, created_at as at, id, plan_id, status
    from members where status is not null
  union all
  select store_id, 'subscriptions', created_at, id, plan_id, public_status from subscriptions
  union all
  select store_id, 'billing_attempts', scheduled_at, id, null, status from billing_attempts;
grant select on list_rows to perennial_store, perennial_operator;
