import { areaTexts } from '../../shared/texts/area-texts.ts'
import type { FieldTexts } from './fields/fields.ts'

type Titles = Record<string, { title: string; text: string }>

const EN_PLACEHOLDERS = 'May hold {plan_name}, {price}, {savings} and {credit}. Empty shows the text of the theme.'
const DE_PLACEHOLDERS = 'Kann {plan_name}, {price}, {savings} und {credit} enthalten. Leer zeigt den Text des Themes.'

/** The settings of the storefront in words. Fields of the same name mean the same, except where `fieldsOf` says otherwise. */
export const useStorefrontTexts = areaTexts({
  en: {
    settings: {
      order_gift: {
        title: 'Gift with an order',
        text: 'An order whose attribute mystery_gift is true gets the tag mystery_gift. Orders that have it keep it when this is turned off.'
      },
      softlogin: {
        title: 'Soft login',
        text: 'The storefront offers to be identified by a mailed code instead of a login. It needs a mail server.'
      },
      svc_agreement: {
        title: 'Agreement',
        text: 'Customers agree to the terms of a subscription before they buy it. What they agreed to is kept in its history.'
      },
      svc_cart_page_selector: {
        title: 'Selectors of the cart page',
        text: 'Where the cart page of the theme has what the widget works with. Empty ones are those of common themes.'
      },
      svc_otp: {
        title: 'Identification by a mailed code',
        text: 'Customers who are not logged in can be identified by a code that they get by mail. It needs a mail server.'
      },
      svc_protection: {
        title: 'Fraud protection',
        text: 'An open or lost chargeback takes back the credit and points of its order until it is won, and bars a second trial. Turned off, it raises alerts only.'
      },
      svc_side_cart_selector: {
        title: 'Selectors of the side cart',
        text: 'Where the side cart of the theme has what the widget works with.'
      },
      svc_wallet_pass_settings: {
        title: 'Wallet pass',
        text: 'Members can get a card for the wallet of their phone.'
      },
      svc_widget_cart_page: {
        title: 'Cart widget',
        text: 'What people see in the cart who are no members: the choice between the membership and the purchase without it.'
      },
      svc_widget_cart_page_member: { title: 'Cart widget for members', text: 'What members see in the cart.' }
    } as Titles,
    fields: {
      enabled: { label: 'Turned on' },
      'settings.checkout_button_no_popup': { label: 'The checkout button opens no window' },
      'settings.cart_widget_login_link': { label: 'The cart widget has a link to identify oneself' },
      'settings.debug_functions_checkout_sc_ca_function': { label: 'Log store credit in the checkout to the console' },
      'settings.debug_functions_cart_checkout_validation': {
        label: 'Log the validation of cart and checkout to the console'
      },
      agreement_enabled: { label: 'Ask for the agreement' },
      otp_enabled: { label: 'Send codes' },
      svc_protection: { label: 'Turned on' },
      wallet_pass_enabled: { label: 'Members can get a card' },
      status: { label: 'The widget is in the side cart' },
      theme_name_select: { label: 'Theme', help: 'Which theme the selectors are made for.' },
      trigger_selector: { label: 'What opens the side cart' },
      btn_add_to_cart_selector: { label: 'Button that adds to the cart' },
      cart_drawer_selector: { label: 'Drawer of the cart' },
      cart_checkout_btn_selector: { label: 'Button to the checkout' },
      cart_form_selector: { label: 'Form of the cart' },
      cart_item_price_selector: { label: 'Price of an item' },
      cart_item_row_selector: { label: 'Row of an item' },
      cart_summary_selector: { label: 'Summary of the cart' },
      cart_default_PAYG: {
        label: 'The purchase without a membership is chosen at first',
        help: 'Otherwise the membership is.'
      },
      enable_progress_bar: { label: 'A bar shows how near the cart is to the next perk' },
      hide_sp: { label: 'Hide the widget of subscription products' },
      hide_st: { label: 'Hide the widget of store credit' },
      subtitle: { label: 'Text of the widget', help: EN_PLACEHOLDERS },
      m_title: { label: 'Membership: title' },
      m_subtitle: { label: 'Membership: second line' },
      m_body: { label: 'Membership: text' },
      m_checkout_btn_name: { label: 'Membership: button' },
      r_title: { label: 'Without a membership: title' },
      r_subtitle: { label: 'Without a membership: second line' },
      r_body: { label: 'Without a membership: text' },
      progress_bar_title: { label: 'Bar: title' },
      progress_bar_item: { label: 'Bar: text' },
      cart_disclaimer: { label: 'What the customer agrees to' }
    } as FieldTexts,
    /** Fields that mean something else in one setting. */
    fieldsOf: {
      svc_widget_cart_page_member: { m_body: { label: 'Text' }, m_checkout_btn_name: { label: 'Button' } }
    } as Record<string, FieldTexts>
  },
  de: {
    settings: {
      order_gift: {
        title: 'Geschenk zu einer Bestellung',
        text: 'Eine Bestellung, deren Attribut mystery_gift true ist, bekommt den Tag mystery_gift. Wer ihn hat, behält ihn, wenn dies ausgeschaltet wird.'
      },
      softlogin: {
        title: 'Soft-Login',
        text: 'Die Storefront bietet an, sich durch einen Code per E-Mail statt durch ein Login auszuweisen. Dazu braucht es einen Mailserver.'
      },
      svc_agreement: {
        title: 'Zustimmung',
        text: 'Kunden stimmen den Bedingungen eines Abonnements zu, bevor sie es kaufen. Worin sie eingewilligt haben, bleibt in seiner Geschichte.'
      },
      svc_cart_page_selector: {
        title: 'Selektoren der Warenkorbseite',
        text: 'Wo die Warenkorbseite des Themes hat, womit das Widget arbeitet. Leere sind die verbreiteter Themes.'
      },
      svc_otp: {
        title: 'Ausweis durch einen Code per E-Mail',
        text: 'Kunden, die nicht angemeldet sind, können sich durch einen Code ausweisen, den sie per E-Mail bekommen. Dazu braucht es einen Mailserver.'
      },
      svc_protection: {
        title: 'Schutz vor Betrug',
        text: 'Eine offene oder verlorene Rückbuchung nimmt Guthaben und Punkte ihrer Bestellung zurück, bis sie gewonnen ist, und schließt eine zweite Probezeit aus. Ausgeschaltet gibt es nur Meldungen.'
      },
      svc_side_cart_selector: {
        title: 'Selektoren des seitlichen Warenkorbs',
        text: 'Wo der seitliche Warenkorb des Themes hat, womit das Widget arbeitet.'
      },
      svc_wallet_pass_settings: {
        title: 'Wallet-Karte',
        text: 'Mitglieder können eine Karte für die Wallet ihres Telefons bekommen.'
      },
      svc_widget_cart_page: {
        title: 'Warenkorb-Widget',
        text: 'Was Nichtmitglieder im Warenkorb sehen: die Wahl zwischen der Mitgliedschaft und dem Kauf ohne sie.'
      },
      svc_widget_cart_page_member: {
        title: 'Warenkorb-Widget für Mitglieder',
        text: 'Was Mitglieder im Warenkorb sehen.'
      }
    },
    fields: {
      enabled: { label: 'Eingeschaltet' },
      'settings.checkout_button_no_popup': { label: 'Der Kassenknopf öffnet kein Fenster' },
      'settings.cart_widget_login_link': { label: 'Das Warenkorb-Widget hat einen Link, um sich auszuweisen' },
      'settings.debug_functions_checkout_sc_ca_function': {
        label: 'Guthaben an der Kasse in der Konsole mitschreiben'
      },
      'settings.debug_functions_cart_checkout_validation': {
        label: 'Die Prüfung von Warenkorb und Kasse in der Konsole mitschreiben'
      },
      agreement_enabled: { label: 'Nach der Zustimmung fragen' },
      otp_enabled: { label: 'Codes senden' },
      svc_protection: { label: 'Eingeschaltet' },
      wallet_pass_enabled: { label: 'Mitglieder können eine Karte bekommen' },
      status: { label: 'Das Widget ist im seitlichen Warenkorb' },
      theme_name_select: { label: 'Theme', help: 'Für welches Theme die Selektoren gemacht sind.' },
      trigger_selector: { label: 'Was den seitlichen Warenkorb öffnet' },
      btn_add_to_cart_selector: { label: 'Knopf „In den Warenkorb“' },
      cart_drawer_selector: { label: 'Schublade des Warenkorbs' },
      cart_checkout_btn_selector: { label: 'Knopf zur Kasse' },
      cart_form_selector: { label: 'Formular des Warenkorbs' },
      cart_item_price_selector: { label: 'Preis eines Artikels' },
      cart_item_row_selector: { label: 'Zeile eines Artikels' },
      cart_summary_selector: { label: 'Zusammenfassung des Warenkorbs' },
      cart_default_PAYG: {
        label: 'Zuerst ist der Kauf ohne Mitgliedschaft gewählt',
        help: 'Sonst die Mitgliedschaft.'
      },
      enable_progress_bar: { label: 'Ein Balken zeigt, wie nah der nächste Vorteil ist' },
      hide_sp: { label: 'Das Widget der Abo-Produkte verbergen' },
      hide_st: { label: 'Das Widget des Guthabens verbergen' },
      subtitle: { label: 'Text des Widgets', help: DE_PLACEHOLDERS },
      m_title: { label: 'Mitgliedschaft: Titel' },
      m_subtitle: { label: 'Mitgliedschaft: zweite Zeile' },
      m_body: { label: 'Mitgliedschaft: Text' },
      m_checkout_btn_name: { label: 'Mitgliedschaft: Knopf' },
      r_title: { label: 'Ohne Mitgliedschaft: Titel' },
      r_subtitle: { label: 'Ohne Mitgliedschaft: zweite Zeile' },
      r_body: { label: 'Ohne Mitgliedschaft: Text' },
      progress_bar_title: { label: 'Balken: Titel' },
      progress_bar_item: { label: 'Balken: Text' },
      cart_disclaimer: { label: 'Wozu der Kunde zustimmt' }
    },
    fieldsOf: {
      svc_widget_cart_page_member: { m_body: { label: 'Text' }, m_checkout_btn_name: { label: 'Knopf' } }
    }
  }
})
