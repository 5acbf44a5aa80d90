import type { Words } from '../words.ts'

const JAPANESE: Words = {
  choose: '購入方法をお選びください',
  pay_as_you_go: '都度払い',
  products: '商品',
  instead_of: '通常価格',
  saved: '{amount} お得です',
  trial: '初回 {amount}、以降',
  trial_for: '{duration}は{amount}、その後は',
  missing: 'あと {amount}：{perk}',
  reached: '達成：{perk}',
  free_shipping: '送料無料',
  off: '{amount} 割引',
  agree: '解約するまで {amount} を支払うことに同意します。',
  agree_first: '先に会員規約に同意してください。',
  join: '入会して購入手続きへ',
  added: 'カートに入りました：{plan}',
  removed: 'カートから削除しました：{plan}',
  failed: 'カートを変更できませんでした。このまま購入するか、もう一度お試しください。',
  credit: 'ストアクレジット：{amount}',
  buy: '購入方法：{product}',
  once: '今回のみ',
  member_price: '{plan} 価格'
}

export default JAPANESE
