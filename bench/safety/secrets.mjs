// Secret-shaped strings for the labelled set, put together when it is loaded. None of them ever opened anything, and
// none stands in a file as a whole, so that a scanner of this repository has nothing to report.

const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const LETTERS_AND_DIGITS = `${LETTERS}23456789`;

/** Characters that look drawn by lot and are the same every time. */
function drawn(length, alphabet = LETTERS_AND_DIGITS) {
  let state = length * 2654435761;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return alphabet[(state >>> 8) % alphabet.length];
  }).join('');
}

const lines = (length) =>
  drawn(length)
    .match(/.{1,64}/g)
    .join('\n');
const pem = (label, body) =>
  ['-----BEGIN ', `${label} KEY-----\n${body}\n-----END ${label} KEY-----`].join('');
const segment = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

const SECRETS = {
  'github-token': () => `gh${'p_'}${drawn(36)}`,
  'github-fine-token': () => `github${'_pat_'}${drawn(82)}`,
  'openai-key': () => `s${'k-'}${drawn(20)}${'T3Blbk'}FJ${drawn(20)}`,
  'openai-project-key': () => `s${'k-proj-'}${drawn(120)}`,
  'anthropic-key': () => `s${'k-ant-'}api03-${drawn(93)}AA`,
  'slack-token': () => `xox${'b-'}210987654321-123456789012-${drawn(24)}`,
  'slack-hook': () => `https://hooks.${'slack.com'}/services/T0${drawn(8)}/B0${drawn(8)}/${drawn(24)}`,
  'google-key': () => `AI${'za'}${drawn(35)}`,
  'stripe-key': () => `sk${'_live_'}${drawn(24)}`,
  'sendgrid-key': () => `S${'G.'}${drawn(22)}.${drawn(43)}`,
  'npm-token': () => `np${'m_'}${drawn(36)}`,
  'gitlab-token': () => `gl${'pat-'}${drawn(20)}`,
  'aws-id': () => `AK${'IA'}${drawn(16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}`,
  'aws-secret': () => drawn(40),
  'database-url': () => `postgres${'://'}app:${drawn(14)}@db.internal.test:5432/app`,
  'mongo-url': () => `mongodb${'+srv://'}app:${drawn(14)}@cluster0.internal.test/app`,
  'basic-url': () => `https${'://'}deploy:${drawn(14)}@artifacts.internal.test/file`,
  'pem-key': () => pem('RSA PRIVATE', `MI${lines(700)}`),
  'pem-ec': () => pem('EC PRIVATE', `MH${lines(160)}`),
  'openssh-key': () => pem('OPENSSH PRIVATE', `b3BlbnNzaC1rZXktdjE${lines(400)}`),
  jwt: () =>
    [segment({ alg: 'HS256', typ: 'JWT' }), segment({ sub: 'nobody', admin: true }), drawn(43)].join('.'),
  'azure-key': () => `DefaultEndpointsProtocol=https;AccountName=nobody;Account${'Key='}${drawn(86)}==`,
  'telegram-token': () => `123456789:${'AA'}${drawn(33)}`,
  'shopify-token': () => `shp${'at_'}${drawn(32, '0123456789abcdef')}`,
  'docker-token': () => `dckr${'_pat_'}${drawn(27)}`,
  // What documentation writes instead; scanners of repositories take these for real.
  'github-placeholder': () => `gh${'p_'}${'x'.repeat(36)}`,
  'slack-placeholder': () => `xox${'b-'}your-token`,
  'hf-token': () => `h${'f_'}${drawn(34, LETTERS)}`,
};

const ENCODINGS = {
  base64: (text) => Buffer.from(text).toString('base64'),
  url: (text) => text.replace(/./g, (c) => `%${c.charCodeAt(0).toString(16).padStart(2, '0')}`),
};

/** A text with its `{{name}}` and `{{encoding name}}` marks replaced by the secrets they stand for. */
export const withSecrets = (text) =>
  text.replace(/\{\{(?:(\w+) )?([\w-]+)\}\}/g, (_mark, encoding, name) => {
    const secret = SECRETS[name];
    if (!secret)
      throw new Error(`The labelled set names "${name}", which bench/safety/secrets.mjs does not make.`);
    return encoding ? ENCODINGS[encoding](secret()) : secret();
  });
