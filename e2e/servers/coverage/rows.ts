/**
 * A row of the contract that is about what happens, and the test that shows it: what its file's path begins with, and words of
 * its name.
 */
export type ContractRow = [says: string, beginning: string, name: string]

const V1 = 'app/api/v1'
const CHAT = `${V1}/chat/completions`

const MODELS = `${V1}/models/`
const LIST = 'lib/services/models/list'
const RESOLVE = 'lib/services/models/resolve'
const EMBEDDINGS = `${V1}/embeddings/`
const GENERATE = `${V1}/image/generate/`
const GENERATIONS = `${V1}/images/generations/`
const EDIT = `${V1}/image/edit/`
const UPSCALE = `${V1}/image/upscale/`
const SPEECH = `${V1}/audio/speech/`
const TRANSCRIPTIONS = `${V1}/audio/transcriptions/`
const HEARD = `${V1}/audio/route.weights`
const SONGS = `${V1}/audio/`
const FILMS = `${V1}/video/`
const FILM_WORDS = `${V1}/video/transcriptions/`
const SEARCH = `${V1}/augment/search/`
const SCRAPE = `${V1}/augment/scrape/`
const PARSER = `${V1}/augment/text-parser/`

/** By file of the contract. What a generated request shows already is left out. */
export const CONTRACT_ROWS: Record<string, readonly ContractRow[]> = {
  'models.md': [
    [
      'text models unless asked; newest first; without those past `removesAt`; `code`',
      LIST,
      'is of text models unless asked otherwise',
    ],
    ['records of every type as the contract has them', LIST, 'has records as the contract has them, of every type'],
    ['a key’s `modelPrivacy` narrows the list', MODELS, 'leaves out what a key may not use, and is then not cached'],
    ['`Cache-Control` without a key only', MODELS, 'is open to everyone and may be cached'],
    ['credentials that are not used are ignored', MODELS, 'ignores credentials that it does not use, valid or not'],
    ['`GET /models/{id}` with slashes', MODELS, 'finds ids with slashes, and 404s for others'],
    ['traits, foreign names', MODELS, 'GET /models/traits and /models/compatibility_mapping'],
    ['`text-embedding-ada-002` is mapped', LIST, 'foreign ids of models that are there'],
    ['a retired model’s trait is reassigned', LIST, 'a retired model’s trait passes to its replacement'],
    [
      '`offline` → 503, region and privacy → 403, no remap → 410 that names the replacement',
      RESOLVE,
      'what stands in the way is said',
    ],
    [
      'warning headers in the notice; remapped afterwards, with headers and the id in the body',
      CHAT,
      'a remapped model is served by its replacement and says so; a leaving one warns',
    ],
  ],
  'embeddings.md': [
    ['order, `usage`, charge of tokens, headers of the model', EMBEDDINGS, 'each text has its vector in its place'],
    ['base64 is little-endian float32', EMBEDDINGS, 'base64 is the same numbers, little-endian'],
    ['2,048 inputs', EMBEDDINGS, 'a full batch goes upstream in parts and comes back whole'],
    ['`Accept-Encoding`', EMBEDDINGS, 'a long reply is compressed for who takes it'],
    [
      '`dimensions` only where the model can, never above its own',
      EMBEDDINGS,
      'shorter vectors are asked for where the model makes them, and refused elsewhere',
    ],
    ['token ids, empty texts, too many tokens → 400', EMBEDDINGS, '%s: 400 that says where, and nothing is charged'],
    [
      'another type, unknown, foreign names',
      EMBEDDINGS,
      'a model of another type, an unknown one and the usual foreign name',
    ],
    ['a failure is not charged', EMBEDDINGS, 'an upstream whose reply %s is an error, and free'],
    [
      'a client’s own base64',
      'e2e/contract/voice',
      'nearest neighbours by embedding make sense, and base64 is the same vectors',
    ],
  ],
  'images.md': [
    [
      'reply fields, headers, charge of `/image/generate`',
      GENERATE,
      'a picture comes as WebP in base64, is charged, and its headers say what it is',
    ],
    ['`return_binary`, `format`', GENERATE, 'a binary reply is one %s file'],
    [
      '`variants`: each is billed, the first has the seed',
      GENERATE,
      'variants are charged each, and only the first has the seed',
    ],
    ['ratio, resolution and quality: size and price', GENERATE, 'a model of ratios: %j'],
    [
      'fields reach the model; `style_preset`',
      GENERATE,
      'what is asked for goes to the engine, with the words of a style',
    ],
    [
      '`enhance_prompt`: header, 0.04 USD once',
      GENERATE,
      'a prompt is rewritten by the chat model, said in a header, and paid once',
    ],
    [
      '`enhance_prompt` fails open',
      GENERATE,
      'a prompt that cannot be rewritten is painted as it is, at the plain price',
    ],
    ['`embed_exif_metadata`', GENERATE, 'the prompt stands in the picture only where that was asked for'],
    [
      'a blocked picture: 200, black, header, free',
      GENERATE,
      'what the model refuses to paint (%s) is a black picture, said in a header, and free',
    ],
    [
      'bounds of the model: prompt, divisor, steps, style, resolution; `inpaint`',
      GENERATE,
      '%s: 400 that says where, and free',
    ],
    ['failures and their codes, free', GENERATE, 'an engine that sends %s: free'],
    [
      'compressed JSON, binary for a client',
      'e2e/servers/images',
      'the service’s own endpoint: one file, or compressed JSON; a refused picture is black',
    ],
    [
      '`/images/generations`: default model, PNG, base64',
      GENERATIONS,
      'a picture of the default model comes as PNG in base64',
    ],
    ['`url` is a data URL; `moderation`', GENERATIONS, 'a URL is a data URL, in the format that was asked for'],
    [
      'an unknown model is the default one',
      GENERATIONS,
      'a name that nobody knows is the default model; a text model is a mistake',
    ],
    ['`size` in the terms of the model', GENERATIONS, 'a size in the terms of %s: %s'],
    [
      'unused fields and `null` are taken',
      GENERATIONS,
      'fields of the convention are taken, and null is as good as nothing',
    ],
    ['`GET /image/styles`', GENERATE, 'the styles are a list for everyone, and each is taken'],
    ['upscale: PNG, factor, price', UPSCALE, 'twice as large is the default, as PNG, at its price'],
    ['upscale as a form; `creativity` is clamped', UPSCALE, 'four times, as a form'],
    [
      'factor 4 is reduced to the pixel cap',
      UPSCALE,
      'four times is reduced to what is allowed, and costs what it then is',
    ],
    ['upscale takes no address, no other factor', UPSCALE, '%s is refused, and free'],
    ['retired fields of upscale are ignored', UPSCALE, 'an open body: what is retired or unknown does not count'],
    ['`UPSCALE_FAILED`', UPSCALE, 'what fails behind us has the contract’s code, and is free'],
    ['edit: PNG, headers, charge', EDIT, 'a picture in base64 is changed; the answer is a PNG, and is charged'],
    ['JPEG at 2K, formats, `modelId`', EDIT, "[{ resolution: '2K' }, 'image/jpeg', 0.07]"],
    ['edit as a form', EDIT, 'a form does the same, its fields are text, and unknown ones do not count'],
    ['sizes of pictures and files: 400, 413, 422', EDIT, '%s: refused in JSON and as a form, and free'],
    ['addresses inside the machine are not fetched', EDIT, 'an address inside the machine'],
    ['422 and `IMAGE_EDIT_ERROR`', EDIT, 'what the model refuses is 422, what it cannot do 500; both are free'],
    [
      'multi-edit: order, price of further pictures',
      EDIT,
      'several pictures are sent in their order; those beyond the included cost more',
    ],
    ['`maxInputImages`', EDIT, 'more pictures than the model takes are refused, none too'],
    ['background-remove: PNG with alpha', UPSCALE, 'a picture is cut out: PNG with alpha, of either form'],
    ['exactly one of `image` and `image_url`', UPSCALE, 'cutting out with %s: 400, and free'],
  ],
  'audio.md': [
    [
      'speech: bytes, type, `Content-Length`, charge of characters',
      SPEECH,
      'a file comes whole, in the model’s own voice and format, and its characters are charged',
    ],
    ['every format', HEARD, '%s is spoken as a stream'],
    ['`streaming`', SPEECH, 'a stream comes as it is made, and costs the same'],
    ['`speed`', HEARD, 'a whole file has its length, at the slowest and at the fastest speed'],
    ['voices: case, other models’, cloned; format of the model; speakable text', SPEECH, '%s: 400 that says where'],
    [
      '`user`, `instructions` and hints are ignored; foreign voices where the model takes them',
      SPEECH,
      'fields that common clients send are ignored',
    ],
    ['502, and nothing charged', SPEECH, 'a failure behind us is 502 and free, also before the first byte of a stream'],
    ['a stream that fails is closed', SPEECH, 'a stream that breaks is closed, and what was spoken is paid'],
    [
      'transcription: text, `duration`, charge of seconds',
      HEARD,
      'text that is spoken and written down again is the same text',
    ],
    ['`timestamps`', HEARD, 'every sentence has the time in which it is said'],
    ['text, srt, vtt, verbose_json', HEARD, 'text, srt, vtt and verbose_json say the same'],
    ['containers', 'lib/services/media/audio', '%s gives the tone it holds'],
    ['extension, MIME and signature; silence; size; codes', TRANSCRIPTIONS, '%s is refused, and free'],
    ['JSON → 415', TRANSCRIPTIONS, 'JSON is 415, a form without a file 400'],
    ['`ASR_UPSTREAM_FAILED`', TRANSCRIPTIONS, 'a model that fails is 502, and free'],
    [
      'cloning is not open → 403; bad container first',
      TRANSCRIPTIONS,
      'a voice cannot be cloned, whoever asks, and a bad sample is told first',
    ],
    [
      'quote, queue, retrieve, complete; headers; price at queue time',
      SONGS,
      'a song is queued, made, fetched and completed, and costs what was quoted',
    ],
    ['quotes by every way of pricing', SONGS, 'a quote of %j is %d USD'],
    ['fields that the model does not support → 400', SONGS, 'queue, %s: 400 that says where, and nothing is queued'],
    ['only the owner may read', SONGS, 'an id of another’s, or of a film, is unknown'],
    [
      '422 for refused content, refunded',
      SONGS,
      'what a provider refuses to make is 422 when it is asked for, and free',
    ],
    ['500 for a failure, refunded', SONGS, 'what is no sound is a failure, and free'],
    ['media kept 24 h', 'lib/services/jobs/', 'results are forgotten after a day'],
  ],
  'video.md': [
    [
      'quote, queue, retrieve, complete; headers; limits; deletion',
      FILMS,
      'a film is quoted, queued, made, fetched and deleted, and costs what was quoted',
    ],
    ['complete is idempotent', FILMS, 'completing again does nothing'],
    [
      'complete ends what runs, refunded',
      FILMS,
      'a job that is completed while it runs is cancelled at the provider and given back',
    ],
    ['`delete_after_retrieval`', FILMS, 'a film is deleted when it was sent, by the name of wallet clients too'],
    ['retrieve is free', FILMS, 'whoever has spent the last cent on a film still fetches it: that is free'],
    ['404 when it is over', FILMS, 'a film is kept for a day, and is then not found'],
    ['prices by duration and resolution', FILMS, 'a quote of %j is %d USD'],
    ['`reference_video_total_duration`', FILMS, 'a quote counts the seconds that are referred to'],
    ['`reference_video_urls`: 2–15 s, 15 s together', FILMS, '%s: 400 that says which, and nothing is set aside'],
    ['what the model’s constraints demand', FILMS, '%s: 400 that says where, and nothing is queued'],
    ['E5 (422, refunded), 500', FILMS, 'a provider that %s: nothing is charged, and the answer says so'],
    ['unknown, foreign and mismatched ids', FILMS, 'an id that is unknown, another’s, or no id at all is the same 400'],
    ['region → 403', FILMS, '%s is refused by quote and queue alike'],
    ['409 and `consents`', FILMS, 'media that may show people need a confirmation first, and nothing else does'],
    [
      '`download_url`: GET, DELETE, 410, `COMPLETED`',
      FILMS,
      'a film with an address of its own is fetched there by whoever has it, until that is revoked',
    ],
    ['a full queue → 429', FILMS, 'where a queue is full the reply says whose it is'],
    ['a server that dies', 'e2e/servers/jobs', 'a film whose server is killed in the middle is made once, paid once'],
    [
      'transcriptions: JSON, charge',
      FILM_WORDS,
      'what a recording says is written down, and each begun second is charged',
    ],
    ['transcriptions as text; captions', FILM_WORDS, 'a page’s own captions are taken as they are, and cost nothing'],
  ],
  'augment.md': [
    [
      '0.01 USD; plain text; `date` may be empty; limits in headers',
      SEARCH,
      'the pages that were found come back as plain text, for a cent',
    ],
    ['no hits is a 200', SEARCH, 'finding nothing is an answer, too'],
    ['`limit`', SEARCH, 'as many results as were asked for, ten by default'],
    ['`search_provider`', SEARCH, 'brave is what the service searches with, google the engine of that name'],
    ['500, not charged', SEARCH, 'a provider %s: 500 in words of ours, and free'],
    ['20 a minute', SEARCH, 'twenty a minute and account; scraping has a minute of its own'],
    ['scrape: Markdown, 0.01 USD', SCRAPE, 'a page becomes Markdown, for a cent'],
    ['Markdown is asked for first', SCRAPE, 'a site that has Markdown is asked for it first, and it is left as it is'],
    [
      'schemes, credentials, private addresses, blocklist → 400',
      SCRAPE,
      '%s: 400 that says what to change, and nothing is charged',
    ],
    ['addresses are checked after every redirect', SCRAPE, 'a redirect to %s is refused like the address itself'],
    ['500, not charged', SCRAPE, 'a page that %s: 500 in words of its own, and free'],
    ['text-parser: `tokens`, 0.01 USD', PARSER, 'a document becomes text with an estimate of its tokens, for a cent'],
    ['types of files; Markdown of office files', PARSER, '%s is read'],
    ['`text`', PARSER, 'as text it is the text alone'],
    ['25 MB → 413', PARSER, 'more is refused, by its length and when it is counted'],
    ['empty, protected, corrupt: words of their own', PARSER, '%s: 400 in words of its own, and free'],
    ['a wallet pays', 'e2e/servers/augment', 'a wallet pays for each with its signature'],
  ],
}
