import type { Texts } from '../../shared/texts.ts'
import type { TextKey } from '../texts.ts'

const JAPANESE: Texts<TextKey> = {
  button: 'メンバーシップを解約する',
  choose: 'どのメンバーシップですか？',
  reasons: '解約の理由をお聞かせください',
  comment: 'ご意見があればお書きください（任意）',
  next: '次へ',
  offers: '解約の前に',
  accept: 'この特典で継続する',
  confirm: 'メンバーシップを解約しますか？',
  ending: 'すぐに終了し、以後の請求はありません。',
  cancel: 'それでも解約する',
  keep: 'メンバーシップを続ける',
  back: '戻る',
  close: '閉じる',
  loading: 'お待ちください…',
  waiting: 'まだ解約されていません',
  retrying: '現在ショップから応答がありません。選択内容は保持され、このページを開いている間は自動的に再試行します。',
  again: '今すぐ再試行',
  refused: 'メンバーシップは解約されていません',
  failed: '特典は適用されず、何も変更されていません。',
  unknown: '実行されたかどうかを確認できませんでした。後でこのページを再読み込みしてください。',
  done: 'メンバーシップを解約しました',
  kept: 'ご継続ありがとうございます',
  applied: '特典を適用しました：{offer}',
  instead: '{old}のところ{new}',
  for: '期間：{duration}',
  payment: '次回のお支払い：{date}',
  credit: 'ストアクレジット{amount}',
  none: '解約できるメンバーシップはありません。'
}

export default JAPANESE
