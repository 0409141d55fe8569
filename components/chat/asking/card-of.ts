import type { AskedModel } from '@/lib/client/chat-request'
import type { ModelCard } from '@/lib/client/models'
import { modelsQuery, queryClient } from '@/lib/client/queries'

/** What is known of a model; of one that is not listed, its id. */
export function cardOf(modelId: string): AskedModel {
  const models = queryClient().getQueryData<ModelCard[]>(modelsQuery().queryKey)
  return models?.find(({ id }) => id === modelId) ?? { id: modelId }
}
