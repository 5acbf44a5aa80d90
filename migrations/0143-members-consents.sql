-- expand: code from 0016 can run on this schema.
-- What the platform says of a customer's account and consents, each with the platform's own time of it: an older report changes nothing.
-- Null: not reported yet, as by an earlier version.
alter table members
  add column email_consent text
    check (email_consent in ('subscribed', 'unsubscribed', 'pending', 'not_subscribed', 'redacted', 'invalid')),
  add column email_consent_at timestamptz,
  add column sms_consent text
    check (sms_consent in ('subscribed', 'unsubscribed', 'pending', 'not_subscribed', 'redacted', 'invalid')),
  add column sms_consent_at timestamptz,
  add column account_state text check (account_state in ('enabled', 'disabled', 'invited', 'declined')),
  add column account_state_at timestamptz,
  -- When the account was enabled, where that was noticed and recorded as a fact; null again once it is not enabled.
  add column account_enabled_at timestamptz;
