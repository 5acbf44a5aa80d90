-- expand: code from 0016 can run on this schema.
-- Of a coupon that makes a piece of a product free: what the platform called that when the discount was made, and what the discount takes off.
-- Null where nobody has asked; the next daily comparison does then.
alter table loyalty_coupons
  add column product_title text,
  add column price_minor bigint check (price_minor > 0);
-- Addresses of social rules have no user name and no password any more: they are shown to everybody.
update loyalty_rules
   set rules = jsonb_set(rules, '{url}', to_jsonb(regexp_replace(rules ->> 'url', '^https://[^/?#]*@', 'https://')))
 where type = 'social' and rules ->> 'url' ~ '^https://[^/?#]*@';
update loyalty_rule_versions
   set rules = jsonb_set(rules, '{url}', to_jsonb(regexp_replace(rules ->> 'url', '^https://[^/?#]*@', 'https://')))
 where rules ->> 'url' ~ '^https://[^/?#]*@';
