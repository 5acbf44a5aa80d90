import type { Texts } from '../../shared/texts.ts'
import type { TextKey } from '../texts.ts'

const JAPANESE: Texts<TextKey> = {
  credit: 'ストアクレジット',
  points: 'ポイント',
  price: '価格',
  next: '次回のお支払い',
  resumes: '一時停止の終了日',
  ended: '解約日',
  until: '取り消しの期限',
  offer: '特典',
  instead: '{old}のところ{new}',
  active: '有効',
  paused: '一時停止中',
  cancelled: '解約済み',
  failed: 'お支払いに失敗しました',
  expired: '終了',
  pause: '一時停止する',
  days: '一時停止の期間',
  skip: '次回のお支払いをスキップする',
  resume: '再開する',
  reactivate: '解約を取り消す',
  method: 'お支払い方法',
  loading: 'お待ちください…',
  away: '現在ショップから応答がありません。このページを開いている間は自動的に再試行します。',
  again: '今すぐ再試行',
  unchanged: 'うまくいきませんでした。',
  question: '{date}のお支払いをスキップしますか？この操作は元に戻せません。',
  back: '戻る',
  skipped: '{name}：{date}のお支払いをスキップしました。',
  held: '{name}は{date}まで一時停止中です。',
  resumed: '{name}を再開しました。',
  restored: '{name}：解約を取り消しました。',
  unseen: '完了したかどうかを確認できませんでした。後でこのページを再読み込みしてください。',
  first_for: '{duration}は{price}、その後は{later}',
  first: '最初は{price}、その後は{later}',
  join: '{name}に入会する'
}

export default JAPANESE
