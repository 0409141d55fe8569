import {
  CharacterList,
  CharacterQuery,
  CharacterReply,
  CharacterReviews,
  ReviewQuery,
} from '@/lib/contract/characters/character.schema'
import type { Group } from '@/lib/endpoints/docs/openapi/operation'

const EXAMPLE = {
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

const path = { slug: { description: 'Slug or ID of a character.', example: EXAMPLE.slug } }

export const CHARACTERS: Group = {
  tag: 'Characters',
  description: 'Characters to chat with: send a slug as `character_slug` of a chat completion.',
  operations: {
    'GET /characters': {
      id: 'listCharacters',
      summary: 'List characters',
      access: 'key',
      query: [CharacterQuery],
      content: [
        { kind: 'json', name: 'CharacterList', schema: CharacterList, example: { object: 'list', data: [EXAMPLE] } },
      ],
    },
    'GET /characters/{slug}': {
      id: 'getCharacter',
      summary: 'Get a character',
      access: 'key',
      path,
      content: [
        {
          kind: 'json',
          name: 'CharacterReply',
          schema: CharacterReply,
          example: { object: 'character', data: EXAMPLE },
        },
      ],
      errors: ['CHARACTER_NOT_FOUND'],
    },
    'GET /characters/{slug}/reviews': {
      id: 'listCharacterReviews',
      summary: 'List the ratings of a character',
      access: 'key',
      path,
      query: [ReviewQuery],
      content: [
        {
          kind: 'json',
          name: 'CharacterReviews',
          schema: CharacterReviews,
          example: {
            object: 'list',
            data: [
              {
                id: '7a1d9f0e-2b3c-4d5e-8f60-718293a4b5c6',
                characterId: EXAMPLE.id,
                rating: 5,
                message: 'Never wrong.',
                locale: null,
                username: 'm2x8q',
                userAvatarUrl: null,
                isOwner: false,
                createdAt: EXAMPLE.createdAt,
              },
            ],
            pagination: { page: 1, pageSize: 20, total: 1, totalPages: 1 },
            summary: { averageRating: 5, totalReviews: 1 },
          },
        },
      ],
      sends: ['pagination'],
      errors: ['CHARACTER_NOT_FOUND'],
    },
  },
}
