import { areaTexts } from '../../../shared/texts/area-texts.ts'

type Texts = {
  title: string
  about: string
  names: Record<string, { name: string; help: string }>
  keys: Record<string, { label: string; help?: string }>
  words: Record<string, string>
  on: string
  off: string
  theme: string
  more: (count: number) => string
}

const en: Texts = {
  title: 'Perks on the storefront',
  about:
    'What the cart says about the membership, and what goes with orders. The storefront shows a change within seconds.',
  names: {
    order_gift: { name: 'Gift with an order', help: 'Orders whose customer chose the gift get the tag mystery_gift.' },
    svc_widget_cart_page: {
      name: 'Cart widget',
      help: 'What people who are no members read in the cart about the membership, and the bar that shows how near the next perk is.'
    },
    svc_widget_cart_page_member: { name: 'Cart widget for members', help: 'What members read in the cart.' }
  },
  keys: {
    enabled: { label: 'Orders with the gift get the tag' },
    cart_default_PAYG: { label: 'Paying without a membership is chosen at first' },
    cart_disclaimer: { label: 'What the customer agrees to' },
    enable_progress_bar: { label: 'Show how near the cart is to the next perk' },
    hide_sp: { label: 'Hide the widget of subscription products' },
    hide_st: { label: 'Hide the widget of store credit' },
    m_body: { label: 'Membership: text' },
    m_checkout_btn_name: { label: 'Membership: button' },
    m_subtitle: { label: 'Membership: subtitle' },
    m_title: { label: 'Membership: title' },
    progress_bar_item: { label: 'Progress bar: text' },
    progress_bar_title: { label: 'Progress bar: title' },
    r_body: { label: 'Without a membership: text' },
    r_subtitle: { label: 'Without a membership: subtitle' },
    r_title: { label: 'Without a membership: title' },
    subtitle: { label: 'Subtitle of the widget' }
  },
  words: {},
  on: 'On',
  off: 'Off',
  theme: 'All texts are those of the theme.',
  more: (count) => (count === 1 ? 'One text is your own.' : `${count} texts are your own.`)
}

const de: Texts = {
  title: 'Vorteile im Schaufenster',
  about:
    'Was der Warenkorb über die Mitgliedschaft sagt und was Bestellungen beiliegt. Das Schaufenster zeigt eine Änderung binnen Sekunden.',
  names: {
    order_gift: {
      name: 'Geschenk zur Bestellung',
      help: 'Bestellungen, deren Kunde das Geschenk gewählt hat, bekommen den Tag mystery_gift.'
    },
    svc_widget_cart_page: {
      name: 'Warenkorb-Widget',
      help: 'Was Kunden ohne Mitgliedschaft im Warenkorb über sie lesen, und der Balken, der zeigt, wie nah der nächste Vorteil ist.'
    },
    svc_widget_cart_page_member: {
      name: 'Warenkorb-Widget für Mitglieder',
      help: 'Was Mitglieder im Warenkorb lesen.'
    }
  },
  keys: {
    enabled: { label: 'Bestellungen mit dem Geschenk bekommen den Tag' },
    cart_default_PAYG: { label: 'Zuerst ist das Zahlen ohne Mitgliedschaft gewählt' },
    cart_disclaimer: { label: 'Womit der Kunde einverstanden ist' },
    enable_progress_bar: { label: 'Zeigen, wie nah der Warenkorb dem nächsten Vorteil ist' },
    hide_sp: { label: 'Das Widget der Abo-Produkte verbergen' },
    hide_st: { label: 'Das Widget des Guthabens verbergen' },
    m_body: { label: 'Mitgliedschaft: Text' },
    m_checkout_btn_name: { label: 'Mitgliedschaft: Knopf' },
    m_subtitle: { label: 'Mitgliedschaft: Untertitel' },
    m_title: { label: 'Mitgliedschaft: Titel' },
    progress_bar_item: { label: 'Balken: Text' },
    progress_bar_title: { label: 'Balken: Titel' },
    r_body: { label: 'Ohne Mitgliedschaft: Text' },
    r_subtitle: { label: 'Ohne Mitgliedschaft: Untertitel' },
    r_title: { label: 'Ohne Mitgliedschaft: Titel' },
    subtitle: { label: 'Untertitel des Widgets' }
  },
  words: {},
  on: 'An',
  off: 'Aus',
  theme: 'Alle Texte sind die des Themes.',
  more: (count) => (count === 1 ? 'Ein Text ist Ihr eigener.' : `${count} Texte sind Ihre eigenen.`)
}

export const useStorefrontTexts = areaTexts({ en, de })
