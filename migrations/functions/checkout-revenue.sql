-- The revenue of a checkout: nothing while it is not paid.
create or replace function checkout_revenue(financial_status text, total_minor bigint) returns bigint language sql immutable as $$
  select case when financial_status in ('paid', 'partially_refunded', 'refunded') then total_minor else 0 end
$$;
