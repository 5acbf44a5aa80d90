import type { Texts } from '../../shared/texts.ts'
import type { TextKey } from '../texts.ts'

const DUTCH: Texts<TextKey> = {
  button: 'Lidmaatschap opzeggen',
  choose: 'Welk lidmaatschap?',
  reasons: 'Waarom wilt u weg?',
  comment: 'Wilt u iets toevoegen? (optioneel)',
  next: 'Doorgaan',
  offers: 'Voordat u gaat',
  accept: 'Blijven met dit aanbod',
  confirm: 'Uw lidmaatschap opzeggen?',
  ending: 'Het eindigt meteen en er wordt niets meer afgeschreven.',
  cancel: 'Toch opzeggen',
  keep: 'Lid blijven',
  back: 'Terug',
  close: 'Sluiten',
  loading: 'Een ogenblik…',
  waiting: 'Nog niet opgezegd',
  retrying:
    'De winkel reageert op dit moment niet. Uw keuze blijft bewaard en we proberen het vanzelf opnieuw zolang deze pagina open is.',
  again: 'Nu opnieuw proberen',
  refused: 'Uw lidmaatschap is niet opgezegd',
  failed: 'Het aanbod is niet toegepast en er is niets veranderd.',
  unknown: 'We konden niet zien of dat is gebeurd. Laad deze pagina later opnieuw.',
  done: 'Uw lidmaatschap is opgezegd',
  kept: 'Fijn dat u blijft',
  applied: 'Het aanbod geldt: {offer}',
  instead: '{new} in plaats van {old}',
  for: '{duration} lang',
  payment: 'Volgende betaling: {date}',
  credit: '{amount} winkeltegoed',
  none: 'U hebt geen lidmaatschap om op te zeggen.'
}

export default DUTCH
