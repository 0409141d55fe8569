const STYLES: Record<string, { words: string; avoid?: string }> = {
  '3D Model': {
    words: '3D model of {prompt}, octane render, physically based materials, studio light',
    avoid: 'flat, sketch',
  },
  'Analog Film': { words: 'analog film photograph of {prompt}, grain, faded colours, 35 mm', avoid: 'digital, glossy' },
  Anime: {
    words: 'anime picture of {prompt}, cel shading, clean lines, vivid colours',
    avoid: 'photograph, realistic',
  },
  Architectural: {
    words: 'architectural photograph of {prompt}, straight verticals, clear light',
    avoid: 'crooked, blurry',
  },
  'Art Deco': { words: 'art deco illustration of {prompt}, geometric shapes, gold and black, bold lines' },
  'Art Nouveau': { words: 'art nouveau poster of {prompt}, flowing lines, ornaments of plants, muted colours' },
  'Black and White': { words: 'black and white photograph of {prompt}, high contrast, fine tones', avoid: 'colour' },
  Cinematic: {
    words: 'cinematic still of {prompt}, dramatic light, shallow depth of field, film look',
    avoid: 'drawing, cartoon',
  },
  'Comic Book': { words: 'comic book panel of {prompt}, ink outlines, halftone, bold colours', avoid: 'photograph' },
  Craft: { words: '{prompt} made of modelling clay, handmade, soft light', avoid: 'drawing, photograph of a person' },
  Cubist: { words: 'cubist painting of {prompt}, broken planes, many viewpoints' },
  'Digital Art': { words: 'digital painting of {prompt}, detailed, rich colours', avoid: 'photograph' },
  Documentary: { words: 'documentary photograph of {prompt}, natural light, unposed' },
  Enhance: { words: '{prompt}, high detail, balanced light, sharp focus', avoid: 'blurry, noisy, deformed' },
  'Fantasy Art': { words: 'fantasy painting of {prompt}, magical, epic scale, glowing light', avoid: 'modern, plain' },
  'Film Noir': {
    words: 'film noir still of {prompt}, black and white, hard shadows, mystery',
    avoid: 'colour, cheerful',
  },
  'Food Photography': { words: 'food photograph of {prompt}, appetising, soft side light, close up' },
  Gothic: { words: 'gothic picture of {prompt}, dark, ornate, candle light' },
  Impressionist: { words: 'impressionist painting of {prompt}, visible brush strokes, open air light' },
  Infographic: { words: 'flat infographic illustration of {prompt}, simple shapes, clear layout' },
  Isometric: { words: 'isometric illustration of {prompt}, precise, soft shadows', avoid: 'perspective, photograph' },
  'Line Art': {
    words: 'line drawing of {prompt}, black ink on white, clean strokes',
    avoid: 'colour, shading, photograph',
  },
  'Long Exposure': { words: 'long exposure photograph of {prompt}, trails of light, smooth motion' },
  'Low Poly': { words: 'low poly picture of {prompt}, facets, simple light', avoid: 'realistic, noisy' },
  Minimalist: { words: 'minimalist picture of {prompt}, few shapes, much empty space', avoid: 'clutter, ornament' },
  Neon: { words: '{prompt} in neon light, night, glowing signs, reflections', avoid: 'daylight' },
  'Neon Punk': { words: 'neon punk picture of {prompt}, cyberpunk, magenta and cyan, rain', avoid: 'daylight, pale' },
  'Oil Painting': { words: 'oil painting of {prompt}, thick paint, canvas, warm tones', avoid: 'photograph' },
  Origami: { words: '{prompt} folded from paper, origami, crisp folds, plain background' },
  'Paper Cutout': { words: '{prompt} as layers of cut paper, soft shadows between them' },
  'Pencil Sketch': { words: 'pencil sketch of {prompt}, graphite, paper texture', avoid: 'colour, photograph' },
  Photographic: {
    words: 'photograph of {prompt}, natural light, sharp focus, true colours',
    avoid: 'drawing, painting',
  },
  'Pixel Art': { words: 'pixel art of {prompt}, few colours, 16 bit', avoid: 'smooth, blurry, photograph' },
  'Pop Art': { words: 'pop art print of {prompt}, flat bright colours, bold outlines' },
  Psychedelic: { words: 'psychedelic poster of {prompt}, swirling shapes, saturated colours' },
  Renaissance: { words: 'renaissance painting of {prompt}, balanced composition, soft shadows' },
  Retro: { words: 'retro picture of {prompt}, 1970s colours, print grain' },
  'Retro Game': { words: 'screen of a retro game showing {prompt}, 8 bit, bright sprites', avoid: 'photograph' },
  'Stained Glass': { words: '{prompt} as a stained glass window, lead lines, glowing colours' },
  Steampunk: { words: 'steampunk picture of {prompt}, brass, gears, steam' },
  Sticker: { words: 'sticker of {prompt}, thick white outline, flat colours, plain background' },
  Surrealist: { words: 'surrealist painting of {prompt}, dreamlike, impossible objects' },
  Texture: { words: 'seamless texture of {prompt}, even light, seen from above' },
  'Tilt-Shift': { words: 'tilt-shift photograph of {prompt}, miniature look, narrow focus' },
  Typography: { words: 'typographic poster of {prompt}, bold letters, strong layout' },
  Watercolor: {
    words: 'watercolour painting of {prompt}, soft washes, paper texture',
    avoid: 'photograph, hard lines',
  },
  Woodcut: { words: 'woodcut print of {prompt}, carved lines, two tones', avoid: 'photograph, gradient' },
}

/** Values of `style_preset`. Source: API contract, images.md. */
export const STYLE_NAMES: readonly string[] = Object.keys(STYLES)

export function styled(
  prompt: string,
  negativePrompt: string | undefined,
  style: string | undefined,
): { prompt: string; negativePrompt?: string } {
  const found = style === undefined ? undefined : STYLES[style]
  if (!found) return { prompt, negativePrompt }
  const avoided = [negativePrompt, found.avoid].filter((text) => text !== undefined && text !== '')
  return {
    // A function, for a prompt may hold what a replacement text gives a meaning to.
    prompt: found.words.replace('{prompt}', () => prompt),
    negativePrompt: avoided.length > 0 ? avoided.join(', ') : undefined,
  }
}
