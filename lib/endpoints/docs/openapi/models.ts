import { ModelList, ModelListQuery, ModelNames, ModelRecord, ModelTypeQuery } from '@/lib/contract/models.schema'
import type { Group } from '@/lib/endpoints/docs/openapi/operation'

const MODEL = {
  id: 'tiny-embed',
  object: 'model',
  created: 1784332800,
  owned_by: 'service',
  type: 'embedding',
  model_spec: {
    name: 'Tiny Embed',
    privacy: 'private',
    traits: ['default'],
    offline: false,
    embeddingDimensions: 384,
    maxInputTokens: 512,
    pricing: { input: { usd: 0.02, diem: 0.02 } },
  },
}

export const MODELS: Group = {
  tag: 'Models',
  description: 'Available models, their capabilities and prices.',
  operations: {
    'GET /models': {
      id: 'listModels',
      summary: 'List models',
      description: 'Returns the models of a type, newest first. Defaults to text models.',
      access: 'optional',
      query: [ModelListQuery],
      content: [
        {
          kind: 'json',
          name: 'ModelList',
          schema: ModelList,
          example: { object: 'list', type: 'embedding', data: [MODEL] },
        },
      ],
    },
    'GET /models/{id}': {
      id: 'getModel',
      summary: 'Get a model',
      description: 'Slashes in the ID do not need to be encoded.',
      access: 'optional',
      path: { id: { description: 'ID of the model.', example: MODEL.id } },
      content: [{ kind: 'json', name: 'Model', schema: ModelRecord, example: MODEL }],
      errors: ['MODEL_NOT_FOUND'],
    },
    'GET /models/traits': {
      id: 'listModelTraits',
      summary: 'List traits',
      description: 'Returns names such as `default` and `fastest`, and the model that each resolves to.',
      access: 'optional',
      query: [ModelTypeQuery],
      content: [
        {
          kind: 'json',
          name: 'ModelNames',
          schema: ModelNames,
          example: { object: 'list', type: 'text', data: { default: 'tiny-chat' } },
        },
      ],
    },
    'GET /models/compatibility_mapping': {
      id: 'listModelAliases',
      summary: 'List compatible model names',
      description: 'Returns model names of other services, and the model that each resolves to.',
      access: 'optional',
      query: [ModelTypeQuery],
      content: [
        {
          kind: 'json',
          name: 'ModelNames',
          schema: ModelNames,
          example: { object: 'list', type: 'embedding', data: { 'text-embedding-ada-002': MODEL.id } },
        },
      ],
    },
  },
}
