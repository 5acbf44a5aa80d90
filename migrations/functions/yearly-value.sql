-- The yearly value of a subscription, in parts of a minor unit: a whole number for every interval count up to 28 (the
-- factor is the least common multiple of 1 to 28), so that sums are exact and are rounded once, when they are read.
create or replace function yearly_value(status text, price_minor bigint, "interval" text, interval_count integer)
returns numeric language sql immutable as $$
  select case when status = 'active' then
    round(price_minor::numeric * 80313433200
          * case "interval" when 'day' then 365 when 'week' then 52 when 'month' then 12 else 1 end / interval_count)
  else 0 end
$$;
