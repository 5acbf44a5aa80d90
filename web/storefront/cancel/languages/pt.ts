import type { Texts } from '../../shared/texts.ts'
import type { TextKey } from '../texts.ts'

const PORTUGUESE: Texts<TextKey> = {
  button: 'Cancelar a assinatura',
  choose: 'Qual assinatura?',
  reasons: 'Por que deseja sair?',
  comment: 'Deseja acrescentar algo? (opcional)',
  next: 'Continuar',
  offers: 'Antes de sair',
  accept: 'Ficar com esta oferta',
  confirm: 'Cancelar a sua assinatura?',
  ending: 'Ela termina imediatamente e nada mais será cobrado.',
  cancel: 'Cancelar mesmo assim',
  keep: 'Manter a assinatura',
  back: 'Voltar',
  close: 'Fechar',
  loading: 'Um momento…',
  waiting: 'Ainda não cancelada',
  retrying:
    'A loja não responde no momento. A sua escolha fica guardada e tentamos de novo automaticamente enquanto esta página estiver aberta.',
  again: 'Tentar de novo agora',
  refused: 'A sua assinatura não está cancelada',
  failed: 'A oferta não foi aplicada e nada mudou.',
  unknown: 'Não foi possível ver se isso foi feito. Recarregue esta página mais tarde.',
  done: 'A sua assinatura está cancelada',
  kept: 'Obrigado por ficar',
  applied: 'A oferta está aplicada: {offer}',
  instead: '{new} em vez de {old}',
  for: 'Durante {duration}',
  payment: 'Próximo pagamento: {date}',
  credit: '{amount} de crédito na loja',
  none: 'Não há assinatura para cancelar.'
}

export default PORTUGUESE
