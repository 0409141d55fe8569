import { type GateRefusal, passGate } from '@/lib/browser/account-gate'
import type { AskedModel } from '@/lib/browser/chat-request'
import type { ModelCard } from '@/lib/browser/models'
import { modelsQuery, queryClient } from '@/lib/browser/queries'
import { t } from '@/lib/i18n/t'

/** Signs in or tops up where a message to a model needs it; returns why the message was kept. */
export function passChatGate(modelId: string): Promise<GateRefusal | undefined> {
  return passGate({
    why: t('To send this message'),
    whyCredit: t('Your message is sent once you add credit.'),
    isFree: isFreeModel(modelId),
  })
}

/** True for a model that this page does not know, too. */
export function isFreeModel(modelId: string): boolean {
  const price = listed(modelId)?.price
  return price === undefined || (price.input === 0 && price.output === 0)
}

export const cardOf = (modelId: string): AskedModel => listed(modelId) ?? { id: modelId }

const listed = (modelId: string): ModelCard | undefined =>
  queryClient()
    .getQueryData<ModelCard[]>(modelsQuery().queryKey)
    ?.find(({ id }) => id === modelId)
