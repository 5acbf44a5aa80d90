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
    newVersion: 'The service has been updated. Reload the page to go on.'
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
