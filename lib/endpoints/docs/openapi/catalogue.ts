import {
  CharacterList,
  CharacterQuery,
  CharacterReply,
  CharacterReviews,
  ReviewQuery,
} from '@/lib/contract/characters/character.schema'
import { ModelList, ModelListQuery, ModelNames, ModelRecord, ModelTypeQuery } from '@/lib/contract/models.schema'
import { type Group, jsonContent } from '@/lib/endpoints/docs/openapi/operation'

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
      content: [jsonContent('ModelList', ModelList, { object: 'list', type: 'embedding', data: [MODEL] })],
    },
    'GET /models/{id}': {
      id: 'getModel',
      summary: 'Get a model',
      description: 'Slashes in the ID do not need to be encoded.',
      access: 'optional',
      path: { id: { description: 'ID of the model.', example: MODEL.id } },
      content: [jsonContent('Model', ModelRecord, MODEL)],
      errors: ['MODEL_NOT_FOUND'],
    },
    'GET /models/traits': {
      id: 'listModelTraits',
      summary: 'List traits',
      description: 'Returns names such as `default` and `fastest`, and the model that each resolves to.',
      access: 'optional',
      query: [ModelTypeQuery],
      content: [
        jsonContent('ModelNames', ModelNames, { object: 'list', type: 'text', data: { default: 'tiny-chat' } }),
      ],
    },
    'GET /models/compatibility_mapping': {
      id: 'listModelAliases',
      summary: 'List compatible model names',
      description: 'Returns model names of other services, and the model that each resolves to.',
      access: 'optional',
      query: [ModelTypeQuery],
      content: [
        jsonContent('ModelNames', ModelNames, {
          object: 'list',
          type: 'embedding',
          data: { 'text-embedding-ada-002': MODEL.id },
        }),
      ],
    },
  },
}

const CHARACTER = {
  id: '0d6c2f0a-3b5e-4d0a-8f0a-1b2c3d4e5f60',
  slug: 'harbour-master',
  name: 'The Harbour Master',
  description: 'Knows every tide.',
  author: 'k3f9a',
  adult: false,
  featured: true,
  webEnabled: false,
  modelId: 'tiny-chat',
  photoUrl: null,
  shareUrl: null,
  tags: ['sea'],
  stats: { averageRating: 4.5, imports: 12, ratingCount: 2, ratingSum: 9, userRating: null },
  createdAt: '2026-07-18T10:00:00.000Z',
  updatedAt: '2026-07-18T10:00:00.000Z',
}

const BY_SLUG = { slug: { description: 'Slug or ID of a character.', example: CHARACTER.slug } }

export const CHARACTERS: Group = {
  tag: 'Characters',
  description: 'Characters to chat with: send a slug as `character_slug` of a chat completion.',
  operations: {
    'GET /characters': {
      id: 'listCharacters',
      summary: 'List characters',
      access: 'key',
      query: [CharacterQuery],
      content: [jsonContent('CharacterList', CharacterList, { object: 'list', data: [CHARACTER] })],
    },
    'GET /characters/{slug}': {
      id: 'getCharacter',
      summary: 'Get a character',
      access: 'key',
      path: BY_SLUG,
      content: [jsonContent('CharacterReply', CharacterReply, { object: 'character', data: CHARACTER })],
      errors: ['CHARACTER_NOT_FOUND'],
    },
    'GET /characters/{slug}/reviews': {
      id: 'listCharacterReviews',
      summary: 'List the ratings of a character',
      access: 'key',
      path: BY_SLUG,
      query: [ReviewQuery],
      content: [
        jsonContent('CharacterReviews', CharacterReviews, {
          object: 'list',
          data: [
            {
              id: '7a1d9f0e-2b3c-4d5e-8f60-718293a4b5c6',
              characterId: CHARACTER.id,
              rating: 5,
              message: 'Never wrong.',
              locale: null,
              username: 'm2x8q',
              userAvatarUrl: null,
              isOwner: false,
              createdAt: CHARACTER.createdAt,
            },
          ],
          pagination: { page: 1, pageSize: 20, total: 1, totalPages: 1 },
          summary: { averageRating: 5, totalReviews: 1 },
        }),
      ],
      sends: ['pagination'],
      errors: ['CHARACTER_NOT_FOUND'],
    },
  },
}
