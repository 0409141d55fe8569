import { EmbeddingsRequest, EmbeddingsResponse } from '@/lib/contract/embeddings.schema'
import { MODEL_ERRORS } from '@/lib/endpoints/docs/openapi/errors'
import type { Group } from '@/lib/endpoints/docs/openapi/operation'

export const EMBEDDINGS: Group = {
  tag: 'Embeddings',
  description: 'Vector embeddings of text.',
  operations: {
    'POST /embeddings': {
      id: 'createEmbeddings',
      summary: 'Create embeddings',
      access: 'paid',
      body: {
        json: {
          name: 'EmbeddingsRequest',
          schema: EmbeddingsRequest,
          example: { model: 'default', input: ['high water', 'low water'] },
        },
      },
      content: [
        {
          kind: 'json',
          name: 'EmbeddingsResponse',
          schema: EmbeddingsResponse,
          example: {
            object: 'list',
            model: 'tiny-embed',
            data: [
              { object: 'embedding', index: 0, embedding: [0.0123, -0.0456, 0.0789] },
              { object: 'embedding', index: 1, embedding: [0.0111, -0.0432, 0.0765] },
            ],
            usage: { prompt_tokens: 6, total_tokens: 6 },
          },
        },
      ],
      sends: ['model', 'compressed'],
      errors: MODEL_ERRORS,
    },
  },
}
