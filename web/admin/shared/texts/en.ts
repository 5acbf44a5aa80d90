/** Every text of the interface. Other languages have the same entries: a missing one is a type error. */
export type Texts = typeof en

export const en = {
  app: {
    name: 'Perennial',
    skipToContent: 'Skip to content',
    navigation: 'Main navigation',
    openNavigation: 'Open navigation',
    closeNavigation: 'Close navigation',
    loading: 'Loading',
    restarting: 'The service is restarting. This page continues by itself.',
    account: 'Account',
    yourAccount: 'Your account',
    signOut: 'Sign out',
    language: 'Language',
    colorScheme: 'Appearance',
    colorSchemes: { light: 'Light', dark: 'Dark', auto: 'As the system' },
    store: 'Store',
    noStoreFound: 'No store found',
    sandbox: 'Sandbox',
    sandboxHelp: 'No real customers and no real money',
    sandboxClock: (time: string) => `Clock: ${time}`,
    documentTitle: (page: string, store: string | null) => [page, store, 'Perennial'].filter(Boolean).join(' · ')
  },
  roles: {
    owner: 'Owner',
    developer: 'Developer',
    support: 'Support',
    read_only: 'Read-only',
    staff: 'Staff of the shop'
  },
  pages: {
    overview: 'Overview',
    members: 'Members',
    subscriptions: 'Subscriptions',
    billing: 'Billing',
    orders: 'Orders',
    integrations: 'Integrations',
    webhooks: 'Webhooks',
    workbench: 'Workbench',
    plans: 'Plans',
    retention: 'Retention',
    loyalty: 'Loyalty',
    credit: 'Credit',
    imports: 'Imports',
    privacy: 'Privacy',
    settings: 'Settings',
    team: 'Team',
    sandbox: 'Sandbox'
  },
  common: {
    tryAgain: 'Try again',
    reload: 'Reload the page',
    none: 'None',
    showPassword: 'Show the password',
    cancel: 'Cancel',
    close: 'Close',
    save: 'Save',
    saved: 'Saved',
    actions: 'Actions',
    edit: 'Edit',
    copy: 'Copy',
    copied: 'Copied',
    chooseFile: 'Choose a file',
    noFile: 'Choose no file',
    newest: 'To the newest',
    older: 'Older',
    any: 'Any',
    yes: 'Yes',
    no: 'No'
  },
  once: {
    title: 'Shown only now',
    text: 'Store it where your other secrets are. Nobody can read it here again.',
    stored: 'I have stored it'
  },
  lists: {
    plan: 'Plan',
    range: (from: string, to: string, total: string) => `${from} to ${to} of ${total}`,
    previousPage: 'Previous page',
    nextPage: 'Next page',
    firstPage: 'First page',
    lastPage: 'Last page'
  },
  errors: {
    title: 'Something went wrong',
    text: 'This part of the page could not be shown. Try again; if it stays, tell whoever runs the service.',
    refusedTitle: 'This is not possible now',
    requestId: (id: string) => `Request ${id}`,
    unreachable: 'The service does not answer. Try again in a moment.',
    notFoundTitle: 'There is no such page',
    notFoundText: 'The address may be old or mistyped.',
    toStart: 'Go to the overview',
    storeNotFoundTitle: 'There is no such store',
    storeNotFoundText: 'It may have been deleted. Choose another one at the top.',
    changedMeanwhile:
      'Somebody else has changed this since you opened it. What you entered is still here: save again to replace their change, or cancel and look at it first.',
    newVersion: 'The service has been updated. Reload the page to go on.',
    /** What the service says of a field in sentences of its own, where this language has better ones. */
    fields: { sentences: [] as [RegExp, (...parts: string[]) => string][] },
    /** What signing in and changes of an own account are refused for. */
    signIn: {
      invalid_email_or_password: 'The e-mail address or the password is wrong.',
      invalid_password: 'The password is wrong.',
      password_too_short: 'The password must have at least 12 characters.',
      password_too_long: 'The password must have at most 128 characters.',
      invalid_code: 'The code is wrong, or it is over. Enter the one that the app shows now.',
      invalid_backup_code: 'The backup code is wrong or was used already.',
      invalid_two_factor_cookie: 'Too much time has passed since the password. Sign in from the beginning.',
      too_many_attempts_request_new_code: 'Too many wrong codes. Sign in from the beginning.',
      account_temporarily_locked: 'Too many wrong codes. Try again in a while.',
      session_not_fresh: 'For this you must have signed in within the last day: sign out, sign in and try again.',
      session_expired: 'Your session has ended. Sign in again.',
      too_many_passwords:
        'Too many wrong passwords: no password of this account is taken for a quarter of an hour. A passkey works meanwhile; an owner can make a link for a new password.',
      too_many_guesses: 'Too many wrong passwords, codes or links from here. Try again in a minute.',
      challenge_not_found: 'The browser took too long with the passkey. Try again.',
      passkey_not_found: 'This passkey is not known here.',
      previously_registered: 'This device has a passkey of this account already.',
      authentication_failed: 'The passkey was not accepted.',
      failed_to_verify_registration: 'The passkey was not accepted.'
    } as Record<string, string>
  },
  noStores: {
    title: 'No store is connected yet',
    text: 'Open Perennial in the admin of your shop to connect it, or create a store with the command line:'
  },
  signIn: {
    title: 'Sign in',
    again: 'Your session has ended. Sign in to go on; nothing you typed is lost.',
    email: 'E-mail address',
    password: 'Password',
    submit: 'Sign in',
    withPasskey: 'Sign in with a passkey',
    passkeyFailed: 'The passkey was not accepted. Try again, or sign in with your password.',
    secondFactor: 'Enter the six digits that your authenticator app shows.',
    code: 'Code',
    backupCode: 'Backup code',
    useBackupCode: 'Use a backup code instead',
    useApp: 'Use the authenticator app instead',
    verify: 'Continue',
    back: 'Back'
  },
  attemptStatuses: { pending: 'Pending', success: 'Paid', failed: 'Failed' } as Record<string, string>,
  subscriptionStatuses: {
    active: 'Active',
    paused: 'Paused',
    cancelled: 'Cancelled',
    failed: 'Failed',
    expired: 'Expired'
  } as Record<string, string>
}
