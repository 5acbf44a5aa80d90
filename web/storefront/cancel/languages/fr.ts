import type { Texts } from '../../shared/texts.ts'
import type { TextKey } from '../texts.ts'

const FRENCH: Texts<TextKey> = {
  button: 'Résilier l’abonnement',
  choose: 'Quel abonnement ?',
  reasons: 'Pourquoi souhaitez-vous partir ?',
  comment: 'Souhaitez-vous ajouter quelque chose ? (facultatif)',
  next: 'Continuer',
  offers: 'Avant de partir',
  accept: 'Rester avec cette offre',
  confirm: 'Résilier votre abonnement ?',
  ending: 'Il prend fin immédiatement et plus rien ne sera prélevé.',
  cancel: 'Résilier quand même',
  keep: 'Garder l’abonnement',
  back: 'Retour',
  close: 'Fermer',
  loading: 'Un instant…',
  waiting: 'Pas encore résilié',
  retrying:
    'La boutique ne répond pas pour le moment. Votre choix est conservé et nous réessayons automatiquement tant que cette page reste ouverte.',
  again: 'Réessayer maintenant',
  refused: 'Votre abonnement n’est pas résilié',
  failed: 'L’offre n’a pas été appliquée et rien n’a changé.',
  unknown: 'Nous n’avons pas pu voir si cela a été fait. Rechargez cette page plus tard.',
  done: 'Votre abonnement est résilié',
  kept: 'Merci de rester',
  applied: 'L’offre est appliquée : {offer}',
  instead: '{new} au lieu de {old}',
  for: 'Pendant {duration}',
  payment: 'Prochain paiement : {date}',
  credit: '{amount} de crédit boutique',
  none: 'Vous n’avez aucun abonnement à résilier.'
}

export default FRENCH
