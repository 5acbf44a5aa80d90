import { objectOf } from '#kit/json-fields'
import { defineStorefrontSetting } from '../define-storefront-setting.ts'
import { openPlaceholder } from '../placeholders.ts'
import { buttonText, longText, shownText } from './widget-text.ts'

/** The cart widget that members see (spec 3, svc_widget_cart_page_member). */
export const widgetCartPageMember = defineStorefrontSetting({
  key: 'svc_widget_cart_page_member',
  name: 'Cart widget for members',
  help: 'The texts of the cart widget for members.',
  field: objectOf({
    m_body: longText('Of the widget'),
    m_checkout_btn_name: buttonText('Of the widget'),
    subtitle: shownText('Of the widget')
  }),
  refuse: openPlaceholder
})
