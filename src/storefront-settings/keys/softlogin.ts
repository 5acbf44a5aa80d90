import { flag, meaning, objectOf, trueOrFalse, withDefault } from '#kit/json-fields'
import { defineStorefrontSetting } from '../define-storefront-setting.ts'
import { needsMail } from '../needs-mail.ts'

const debug = (what: string) =>
  meaning(`Writes what it does to the console: ${what}`, withDefault(trueOrFalse(), false))
const settings = objectOf({
  checkout_button_no_popup: meaning('The checkout button opens no window', withDefault(trueOrFalse(), false)),
  cart_widget_login_link: meaning('The cart widget has a link to identify oneself', withDefault(trueOrFalse(), false)),
  debug_functions_checkout_sc_ca_function: debug('store credit in the checkout'),
  debug_functions_cart_checkout_validation: debug('the validation of cart and checkout')
})
const ALL_OFF = {
  checkout_button_no_popup: false,
  cart_widget_login_link: false,
  debug_functions_checkout_sc_ca_function: false,
  debug_functions_cart_checkout_validation: false
}

/** The storefront offers to identify oneself by a mailed code instead of a login (spec 3, softlogin). */
export const softlogin = defineStorefrontSetting({
  key: 'softlogin',
  name: 'Soft login',
  help: 'Whether the storefront offers to be identified by a mailed code instead of a login, and how.',
  refuse: ({ enabled }, means) => needsMail('enabled', enabled, means),
  field: objectOf({
    enabled: meaning('It is offered', withDefault(flag(), false)),
    settings: withDefault(settings, ALL_OFF)
  }),
  initial: { enabled: false, settings: ALL_OFF }
})
