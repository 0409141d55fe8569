import {
  BackgroundForm,
  BackgroundRequest,
  EditForm,
  EditRequest,
  GenerateRequest,
  GenerateResponse,
  GenerationsRequest,
  GenerationsResponse,
  MAX_INPUT_IMAGES,
  MultiEditRequest,
  StylesResponse,
  UpscaleForm,
  UpscaleRequest,
} from '@/lib/contract/images.schema'
import { MODEL_ERRORS } from '@/lib/endpoints/docs/openapi/errors'
import { type Group, jsonBody, jsonContent } from '@/lib/endpoints/docs/openapi/operation'

/** PNG of 256 by 256 pixels, the minimum of the image endpoints. */
export const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAQAAAAEAAQMAAABmvDolAAAAA1BMVEUXXIxME1V8AAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAH0lEQVRo3u3BAQ0AAADCoPdPbQ43oAAAAAAAAAAAvg0hAAABfxmcpwAAAABJRU5ErkJggg=='
const FILE_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const
const INPUT_ERRORS = [...MODEL_ERRORS, 'CORRUPTED_IMAGE', 'IMAGE_TOO_SMALL', 'IMAGE_TOO_LARGE'] as const
const EDIT_ERRORS = [...INPUT_ERRORS, 'IMAGE_EDIT_ERROR'] as const

export const IMAGES: Group = {
  tag: 'Images',
  description: 'Generate, edit and upscale images, and remove backgrounds.',
  operations: {
    'POST /image/generate': {
      id: 'generateImage',
      summary: 'Generate images',
      description: 'Returns JSON with base64-encoded images, or a single image as a file with `"return_binary": true`.',
      access: 'paid',
      body: jsonBody('ImageGenerateRequest', GenerateRequest, {
        model: 'default',
        prompt: 'A lagoon at low tide',
        width: 512,
        height: 512,
        format: 'png',
      }),
      content: [
        jsonContent('ImageGenerateResponse', GenerateResponse, {
          id: 'generate-image-1784332800',
          images: [PICTURE],
          timing: { inferenceDuration: 4200, inferencePreprocessingTime: 3, inferenceQueueTime: 0, total: 4203 },
        }),
        { kind: 'bytes', types: FILE_TYPES },
      ],
      sends: ['model', 'image', 'instance', 'compressed'],
      errors: MODEL_ERRORS,
    },
    'POST /images/generations': {
      id: 'createImage',
      summary: 'Generate an image (OpenAI-compatible)',
      access: 'paid',
      body: jsonBody('ImageGenerationsRequest', GenerationsRequest, {
        prompt: 'A lagoon at low tide',
        size: '512x512',
        response_format: 'b64_json',
      }),
      content: [
        jsonContent('ImageGenerationsResponse', GenerationsResponse, {
          created: 1784332800,
          data: [{ b64_json: PICTURE }],
        }),
      ],
      sends: ['model', 'image', 'instance', 'compressed'],
      errors: MODEL_ERRORS,
    },
    'GET /image/styles': {
      id: 'listImageStyles',
      summary: 'List styles',
      description: 'Returns the values of `style_preset`.',
      access: 'none',
      content: [jsonContent('ImageStyles', StylesResponse, { object: 'list', data: ['3D Model', 'Analog Film'] })],
    },
    'POST /image/edit': {
      id: 'editImage',
      summary: 'Edit an image',
      access: 'paid',
      body: {
        json: jsonContent('ImageEditRequest', EditRequest, {
          prompt: 'Make it night',
          image: PICTURE,
          output_format: 'png',
        }),
        form: {
          name: 'ImageEditForm',
          schema: EditForm,
          file: 'image',
          fileDescription: 'Image to edit.',
          example: { prompt: 'Make it night', output_format: 'png' },
        },
      },
      content: [{ kind: 'bytes', types: FILE_TYPES }],
      sends: ['model', 'image', 'instance'],
      errors: EDIT_ERRORS,
    },
    'POST /image/multi-edit': {
      id: 'editImages',
      summary: 'Edit an image with reference images',
      access: 'paid',
      body: {
        json: jsonContent('ImageMultiEditRequest', MultiEditRequest, {
          prompt: 'Put the boat of the second picture on the water',
          images: [PICTURE, PICTURE],
        }),
        form: {
          name: 'ImageMultiEditForm',
          schema: EditForm,
          file: 'images',
          fileDescription: 'Image to edit, followed by the reference images.',
          mostFiles: MAX_INPUT_IMAGES,
          example: { prompt: 'Put the boat of the second picture on the water' },
        },
      },
      content: [{ kind: 'bytes', types: FILE_TYPES }],
      sends: ['model', 'image', 'instance'],
      errors: EDIT_ERRORS,
    },
    'POST /image/upscale': {
      id: 'upscaleImage',
      summary: 'Upscale an image',
      access: 'paid',
      body: {
        json: jsonContent('ImageUpscaleRequest', UpscaleRequest, { image: PICTURE, scale: 2 }),
        form: {
          name: 'ImageUpscaleForm',
          schema: UpscaleForm,
          file: 'image',
          fileDescription: 'Image file.',
          example: { scale: '2' },
        },
      },
      content: [{ kind: 'bytes', types: ['image/png'] }],
      sends: ['model', 'instance'],
      errors: [...INPUT_ERRORS, 'UPSCALE_FAILED'],
    },
    'POST /image/background-remove': {
      id: 'removeImageBackground',
      summary: 'Remove the background',
      description: 'Send either `image` or `image_url`.',
      access: 'paid',
      body: {
        json: jsonContent('ImageBackgroundRequest', BackgroundRequest, { image: PICTURE }),
        form: {
          name: 'ImageBackgroundForm',
          schema: BackgroundForm,
          file: 'image',
          fileDescription: 'Image file.',
          isFileOptional: true,
          example: {},
        },
      },
      content: [{ kind: 'bytes', types: ['image/png'] }],
      sends: ['model', 'instance'],
      errors: EDIT_ERRORS,
    },
  },
}
