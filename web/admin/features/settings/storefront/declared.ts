import type { Field } from '../fields/fields.ts'

const flags = (...names: string[]): Field[] => names.map((name) => ({ name, kind: 'flag' }))
const texts = (...names: string[]): Field[] => names.map((name) => ({ name, kind: 'text' }))
const longTexts = (...names: string[]): Field[] => names.map((name) => ({ name, kind: 'long' }))

/** The fields of the settings of the storefront, by the key of the metafield. Any other one is edited as JSON. */
export const STOREFRONT_FIELDS: Record<string, Field[]> = {
  order_gift: flags('enabled'),
  softlogin: flags(
    'enabled',
    'settings.checkout_button_no_popup',
    'settings.cart_widget_login_link',
    'settings.debug_functions_checkout_sc_ca_function',
    'settings.debug_functions_cart_checkout_validation'
  ),
  svc_agreement: flags('agreement_enabled'),
  svc_cart_page_selector: texts(
    'theme_name_select',
    'cart_checkout_btn_selector',
    'cart_form_selector',
    'cart_item_price_selector',
    'cart_item_row_selector'
  ),
  svc_otp: flags('otp_enabled'),
  svc_protection: flags('svc_protection'),
  svc_side_cart_selector: [
    ...flags('status'),
    ...texts(
      'theme_name_select',
      'trigger_selector',
      'btn_add_to_cart_selector',
      'cart_drawer_selector',
      'cart_checkout_btn_selector',
      'cart_form_selector',
      'cart_item_price_selector',
      'cart_item_row_selector',
      'cart_summary_selector'
    )
  ],
  svc_wallet_pass_settings: flags('wallet_pass_enabled'),
  svc_widget_cart_page: [
    ...flags('cart_default_PAYG', 'enable_progress_bar', 'hide_sp', 'hide_st'),
    ...texts('subtitle', 'm_title', 'm_subtitle'),
    ...longTexts('m_body'),
    ...texts('m_checkout_btn_name', 'r_title', 'r_subtitle'),
    ...longTexts('r_body'),
    ...texts('progress_bar_title', 'progress_bar_item'),
    ...longTexts('cart_disclaimer')
  ],
  svc_widget_cart_page_member: [...texts('subtitle'), ...longTexts('m_body'), ...texts('m_checkout_btn_name')]
}
