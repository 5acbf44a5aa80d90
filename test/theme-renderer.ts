import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Liquid, type TagToken, type TopLevelToken } from 'liquidjs'

type Json = Record<string, any>
/** What a page shows: the cart as the cart API has it, and more that its templates name. */
export type Shown = { cart: Json; root: string; assets: string; more?: Json }

/** Which of a theme's settings and files make the page of its cart. */
export type ThemeCart = {
  /** Files of `sections/` that are the page, in their order. */
  sections: string[]
  /** Settings that differ from those that the theme comes with. */
  settings?: Json
}

/** A color as themes read it: `.red`, and as a text. */
class Color {
  readonly red: number
  readonly green: number
  readonly blue: number
  readonly #text: string
  constructor(text: string) {
    this.#text = text
    const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16)) as [
      number,
      number,
      number
    ]
    Object.assign(this, { red, green, blue })
    this.red = red
    this.green = green
    this.blue = blue
  }
  get rgb() {
    return `${this.red} ${this.green} ${this.blue}`
  }
  toString() {
    return this.#text
  }
}

const FONT = {
  family: 'Arial',
  fallback_families: 'sans-serif',
  style: 'normal',
  weight: 400,
  'system?': true,
  system: true
}

/**
 * Renders pages of a theme of the real platform as far as its cart needs it, from a folder with the theme's files. What the platform knows and
 * this does not, such as pictures, is left out.
 */
export function themeRenderer(folder: string, { sections, settings: given = {} }: ThemeCart) {
  const read = (file: string) => readFileSync(join(folder, file), 'utf8')
  const json = (file: string): Json => JSON.parse(read(file).replace(/^\s*\/\*.*?\*\//s, ''))
  const texts = json('locales/en.default.json')
  const settings = { ...settingsOf(json), ...given }
  const liquid = new Liquid({
    root: [join(folder, 'snippets')],
    extname: '.liquid',
    strictFilters: false,
    ownPropertyOnly: false
  })
  registerTags(liquid, (name) => sectionOf(name, {}))
  registerFilters(liquid, read, texts)
  let globals: Json = {}

  const render = (source: string, scope: Json) => liquid.parseAndRenderSync(source, scope, { globals })
  const sectionOf = (name: string, more: Json) => {
    const { source, schema } = partsOf(read(`sections/${name}.liquid`))
    const section = {
      id: name,
      settings: { ...defaultsIn(schema.settings ?? []), padding_top: 20, padding_bottom: 20 },
      blocks: more.blocks ?? []
    }
    return `<div id="shopify-section-${name}" class="shopify-section">${render(source, { section })}</div>`
  }
  const show = ({ cart, root, assets, more = {} }: Shown) => {
    globals = globalsOf({ cart: cartOf(cart), root, assets, settings, more })
  }
  return {
    /**
     * A whole page in the theme's layout: these sections, unless it has another content. `head` is what apps print there, `body` what they print at
     * its end.
     */
    page(shown: Shown, { head, body = '', content }: { head: string; body?: string; content?: string }): string {
      show(shown)
      const blocks = ['subtotal', 'buttons'].map((type) => ({ type, settings: {} }))
      const layout = partsOf(read('layout/theme.liquid')).source
      const cart = () => sections.map((name) => sectionOf(name, { blocks })).join('\n')
      const scope = { content_for_layout: content ?? cart(), content_for_header: head }
      return render(layout, scope).replace('</body>', `${body}</body>`)
    },
    /** One section, as the platform renders it by itself. */
    section(shown: Shown, name: string): string {
      show(shown)
      return sectionOf(name, { blocks: ['subtotal', 'buttons'].map((type) => ({ type, settings: {} })) })
    },
    asset(name: string, shown: Shown): string {
      show(shown)
      const source = readFileSyncOr(
        () => read(`assets/${name}`),
        () => read(`assets/${name}.liquid`)
      )
      return source.includes('{{') && !name.endsWith('.js') ? render(source, {}) : source
    }
  }
}

function readFileSyncOr(first: () => string, second: () => string): string {
  try {
    return first()
  } catch {
    return second()
  }
}

/** The template without its schema, and the schema. */
function partsOf(text: string): { source: string; schema: Json } {
  const found = /\{%-?\s*schema\s*-?%\}(.*?)\{%-?\s*endschema\s*-?%\}/s.exec(text)
  return { source: found ? text.replace(found[0], '') : text, schema: found ? JSON.parse(found[1]!) : {} }
}

const defaultsIn = (fields: Json[]): Json =>
  Object.fromEntries(fields.filter(({ id }) => id).map(({ id, type, default: value }) => [id, typed(value, type)]))

function typed(value: unknown, type?: string): unknown {
  if (type === 'font_picker') return FONT
  return typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value) ? new Color(value) : value
}

function settingsOf(json: (file: string) => Json): Json {
  const { current, presets = {} } = json('config/settings_data.json')
  const chosen: Json = typeof current === 'string' ? presets[current] : current
  const fields = (json('config/settings_schema.json') as unknown as Json[]).flatMap(({ settings }) => settings ?? [])
  const fonts = new Set(fields.filter(({ type }) => type === 'font_picker').map(({ id }) => id))
  const own = Object.fromEntries(Object.entries(chosen).map(([id, value]) => [id, fonts.has(id) ? FONT : typed(value)]))
  const schemes = Object.entries((chosen.color_schemes ?? {}) as Json).map(([id, scheme]) => ({
    id,
    settings: Object.fromEntries(Object.entries(scheme.settings as Json).map(([name, value]) => [name, typed(value)]))
  }))
  return { ...defaultsIn(fields), ...own, color_schemes: schemes }
}

function cartOf(cart: Json): Json {
  return {
    ...cart,
    'empty?': cart.items.length === 0,
    items: cart.items.map((item: Json, index: number) => ({
      ...item,
      index,
      image: null,
      selling_plan_allocation: item.selling_plan_allocation ?? null,
      url_to_remove: `/cart/change?line=${index + 1}&quantity=0`,
      product: {
        title: item.product_title,
        vendor: item.vendor,
        has_only_default_variant: item.product_has_only_default_variant
      },
      variant: { id: item.variant_id, title: item.variant_title }
    }))
  }
}

const globalsOf = ({ cart, root, assets, settings, more }: Json): Json => ({
  cart,
  settings,
  assets,
  shop: { name: 'Theme shop', currency: cart.currency, customer_accounts_enabled: false },
  request: { locale: { iso_code: 'en' }, page_type: 'cart', origin: root, design_mode: false },
  localization: { country: { iso_code: 'US' }, available_countries: [], available_languages: [] },
  template: { name: 'cart' },
  routes: {
    root_url: '/',
    cart_url: '/cart',
    cart_add_url: '/cart/add',
    cart_change_url: '/cart/change',
    cart_update_url: '/cart/update',
    predictive_search_url: '/search/suggest',
    all_products_collection_url: '/collections/all'
  },
  ...more
})

function registerTags(liquid: Liquid, section: (name: string) => string) {
  /** A tag with raw content until its end, which becomes what `make` says. */
  const raw = (name: string, make: (inside: string) => string) =>
    liquid.registerTag(name, {
      parse(token: TagToken, rest: TopLevelToken[]) {
        this.inside = ''
        for (let one = rest.shift(); one; one = rest.shift()) {
          if ((one as TagToken).name === `end${name}`) return
          this.inside += one.getText()
        }
        throw new Error(`${token.getText()} is not closed`)
      },
      render() {
        return make(this.inside)
      }
    })
  for (const name of ['doc', 'javascript', 'schema']) raw(name, () => '')
  raw('stylesheet', (css) => `<style>${css}</style>`)
  /** A tag around templates. */
  const around = (name: string, before: string, after: string) =>
    liquid.registerTag(name, {
      parse(_token: TagToken, rest: TopLevelToken[]) {
        this.templates = []
        const stream = liquid.parser.parseStream(rest)
        stream
          .on(`tag:end${name}`, () => stream.stop())
          .on('template', (template: unknown) => this.templates.push(template))
          .start()
      },
      *render(context: any, emitter: any): any {
        emitter.write(before)
        yield this.liquid.renderer.renderTemplates(this.templates, context, emitter)
        emitter.write(after)
      }
    })
  around('style', '<style>', '</style>')
  around('form', '<form action="/cart" method="post">', '</form>')
  const alone = (name: string, make: (args: string) => string) =>
    liquid.registerTag(name, {
      parse(token: TagToken) {
        this.args = token.args
      },
      render() {
        return make(this.args)
      }
    })
  alone('sections', () => '')
  alone('content_for', () => '')
  alone('section', (args) => section(args.replaceAll(/['"\s]/g, '')))
}

function registerFilters(liquid: Liquid, read: (file: string) => string, texts: Json) {
  const filters: Record<string, (this: any, value: any, ...args: any[]) => unknown> = {
    t(key: string, ...args) {
      const found = String(key)
        .split('.')
        .reduce((at: any, name) => at?.[name], texts)
      const values = Object.fromEntries(args.filter(Array.isArray))
      const text = typeof found === 'object' && found !== null ? (values.count === 1 ? found.one : found.other) : found
      return String(text ?? key).replace(/\{\{\s*(\w+)\s*\}\}/g, (_, name) => values[name] ?? '')
    },
    asset_url(name: string) {
      return `${this.context.globals.assets}/${name}`
    },
    stylesheet_tag: (address: string) => `<link rel="stylesheet" href="${address}">`,
    script_tag: (address: string) => `<script src="${address}" defer></script>`,
    inline_asset_content: (name: string) => read(`assets/${name}`),
    money: (hundredths: number) => `$${(Number(hundredths) / 100).toFixed(2)}`,
    money_with_currency: (hundredths: number) => `$${(Number(hundredths) / 100).toFixed(2)} USD`,
    money_without_currency: (hundredths: number) => (Number(hundredths) / 100).toFixed(2),
    json: (value: unknown) => JSON.stringify(value ?? null),
    color_to_rgb: (color: any) => (color?.rgb ? `rgb(${color.rgb.replaceAll(' ', ', ')})` : color),
    link_to: (text: string, address: string) => `<a href="${address}">${text}</a>`,
    font_modify: (font: unknown) => font
  }
  for (const name of [
    'preload_tag',
    'image_url',
    'image_tag',
    'font_face',
    'font_url',
    'structured_data',
    'payment_type_svg_tag'
  ]) {
    filters[name] = () => ''
  }
  for (const [name, filter] of Object.entries(filters)) liquid.registerFilter(name, filter as never)
}
