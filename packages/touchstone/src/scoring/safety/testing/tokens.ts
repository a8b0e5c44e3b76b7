// Put together here, so that nothing in this file is a secret by itself.
export const drawn = 'Zq7Rt2Lm9Kx4Wp8Vb3Nc6Hd5Jf2Gs9Ty7Ue4Ia8Ro3'.repeat(3);
const hex = '7c1e0b9f4a2d8563'.repeat(4);

/** Tokens by whose they are, each with the beginning that gives it away. */
export const TOKENS: { readonly [name: string]: string } = {
  'a key of this host': `ts${'_'}${drawn.slice(0, 20)}-${drawn.slice(0, 22)}`,
  'an xAI key': `xai${'-'}${drawn.slice(0, 80)}`,
  'a Perplexity key': `pplx${'-'}${drawn.slice(0, 48)}`,
  'a Replicate token': `r8${'_'}${drawn.slice(0, 37)}`,
  'a Slack app token': `xapp${'-1-'}A0B1C2D3E4F-1234567890123-${hex}`,
  'a Google access token': `ya29${'.'}a0${drawn.slice(0, 60)}`,
  'a Google client secret': `GOCSPX${'-'}${drawn.slice(0, 28)}`,
  'a PyPI token': `pypi${'-AgEIcHlwaS5vcmc'}${drawn.slice(0, 60)}`,
  'a Twilio key': `SK${hex.slice(0, 32)}`,
  'a DigitalOcean token': `dop${'_v1_'}${hex}`,
  'a Doppler token': `dp${'.pt.'}${drawn.slice(0, 43)}`,
  'a Square token': `sq0${'atp-'}${drawn.slice(0, 22)}`,
  'a Square secret': `sq0${'csp-'}${drawn.slice(0, 43)}`,
  'a Notion token': `ntn${'_'}${drawn.slice(0, 46)}`,
  'an old Notion token': `secret${'_'}${drawn.slice(0, 43)}`,
  'a Terraform token': `${drawn.slice(0, 14)}${'.atlasv1.'}${drawn.slice(0, 67)}`,
  'a Discord bot token': `${Buffer.from('112233445566778899').toString('base64url')}.GxYz1A.${drawn.slice(0, 38)}`,
  'an age key': `AGE${'-SECRET-KEY-1'}${'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L'.repeat(2).slice(0, 58)}`,
};

/** What looks like more than it is. */
export const HARMLESS: readonly string[] = [
  'It costs $1,299.00, or 1299.00 EUR with 19 % VAT.',
  'run-01j9xk2v7q8m3n4p5r6s7t8v9w:12 of core.acme.evals.refunds@1.2.0',
  'ann-n9czgKITAnvqA2GIXMUqNn-_F6-tU8zOIQx_-XOLovM',
  'wh-YrlTbCvdFPE4gqPVf5YbKPatn1VH7glIn2dRAL-ULtA',
  `sha256:${hex}`,
  hex,
  hex.slice(0, 40),
  'refund-12, task_7.b, local.acme.echo@1.0.0',
  '550e8400-e29b-41d4-a716-446655440000',
  'https://docs.example.com:8443/guide/42?page=3&sort=name#part-2',
  'ts_config_file_names_are_written_in_snake_case',
  'https://pypi.org/project/pypi-simple-package-reader/',
  'Tokens: 1,234 in and 56 out; maxTokens: 128000, "inputTokens":4096, tokenLimit=2048.',
  'The token: authentication-is-needed-for-it.',
  'Cookie: a small biscuit. Cookie policy: none = good.',
  'secret_santa_list_of_the_whole_department_2026',
  'SKU 4711-0815, SK-II, r8_small, xai-lab, dp.pt.short, key-value-store',
  'The bearer of good news; Bearer%20 is how it is written in a URL.',
  '2026-11-16T03:33:42.608Z',
  'M. Night Shyamalan.Movies.AreOftenSurprisingInTheVeryEndTheySay',
  'Wir prüfen das Kennwort täglich. 密码是必需的。',
];
