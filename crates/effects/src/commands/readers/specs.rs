//! The options of programs that print or filter what they read, as their own help prints them. A catalogue.

use crate::names::{Names, index};

/// Each program with its options.
const SPECS: &[(&[&str], &str)] = &[
    (&["m4", "cpp"], "D= U= I= include= imacros= iquote= isystem= P E o= x= std= B= H= L= F= R="),
    (
        &["pandoc"],
        "f,from,r,read= t,to,w,write= o,output= s V,variable= M,metadata= H= B= A= c,css= F,filter= L= template=",
    ),
    (&["look"], "a,alternative d,alphanum f,ignore-case t,terminate="),
    (&["basenc"], "d,decode i,ignore-garbage w,wrap="),
    (&["tac"], "b,before r,regex s,separator= help version"),
    (
        &["nl"],
        "b,body-numbering= d,section-delimiter= f,footer-numbering= h,header-numbering= i,line-increment= l,join-blank-lines= n,number-format= p,no-renumber s,number-separator= \
         v,starting-line-number= w,number-width= help version",
    ),
    (&["head"], "c,bytes= n,lines= q,quiet,silent v,verbose z,zero-terminated help version"),
    (
        &["tail"],
        "c,bytes= f,follow? F n,lines= max-unchanged-stats= pid= q,quiet,silent retry s,sleep-interval= v,verbose z,zero-terminated help version",
    ),
    (
        &["less", "most"],
        "a A b= B c C d D= e E f F g G h= i I j= J k= K L m M n N o= O= p= P= q Q r R s S t= T= u U V \
         w W x= X y= z= ~ #= incsearch save-marks use-color mouse header= buffers= max-back-scroll= \
         jump-target= lesskey-file= log-file= LOG-FILE= pattern= prompt= tag= tag-file= tabs= max-forw-scroll= window= quotes= shift= rscroll= wheel-lines= line-num-width= status-col-width= \
         intr= exit-follow-on-close file-size no-histdups redraw-on-quit",
    ),
    (
        &["more"],
        "d,silent f,logical l,no-pause c,print-over p,clean-print e,exit-on-eof s,squeeze u,plain \
         n,lines= h,help V,version",
    ),
    (
        &["od"],
        "A,address-radix= endian= j,skip-bytes= N,read-bytes= S= strings? t,format= v,output-duplicates w,width? traditional help version a b c d f i l o s x",
    ),
    (
        &["hexdump", "hd"],
        "b,one-byte-octal c,one-byte-char C,canonical d,two-bytes-decimal o,two-bytes-octal x,two-bytes-hex L,color? e,format= f,format-file= n,length= s,skip= v,no-squeezing h,help \
         V,version",
    ),
    (
        &["strings"],
        "a,all d,data f,print-file-name n,bytes= t,radix= o w,include-all-whitespace T,target= \
         e,encoding= s,output-separator= U,unicode= h,help v,V,version",
    ),
    (&["wc"], "c,bytes m,chars l,lines files0-from= L,max-line-length w,words help version"),
    (
        &["cut"],
        "b,bytes= c,characters= d,delimiter= f,fields= n complement s,only-delimited output-delimiter= z,zero-terminated help version",
    ),
    (&["paste"], "d,delimiters= s,serial z,zero-terminated help version"),
    (
        &["sort"],
        "b,ignore-leading-blanks d,dictionary-order f,ignore-case g,general-numeric-sort i,ignore-nonprinting M,month-sort h,human-numeric-sort n,numeric-sort R,random-sort random-source= \
         r,reverse sort= V,version-sort batch-size= c check? C compress-program= debug files0-from= \
         k,key= m,merge o,output= s,stable S,buffer-size= t,field-separator= T,temporary-directory= \
         parallel= u,unique z,zero-terminated help version",
    ),
    (
        &["uniq"],
        "c,count d,repeated D all-repeated? f,skip-fields= group? i,ignore-case s,skip-chars= \
         u,unique z,zero-terminated w,check-chars= help version",
    ),
    (&["fold"], "b,bytes s,spaces w,width= help version"),
    (
        &["fmt"],
        "c,crown-margin p,prefix= s,split-only t,tagged-paragraph u,uniform-spacing w,width= g,goal= \
         help version",
    ),
    (
        &["pr"],
        "columns= a,across c,show-control-chars d,double-space D,date-format= e,expand-tabs? \
         F,f,form-feed h,header= i,output-tabs? J,join-lines l,length= m,merge n,number-lines? \
         N,first-line-number= o,indent= r,no-file-warnings s,separator? S,sep-string? t,omit-header \
         T,omit-pagination v,show-nonprinting w,width= W,page-width= help version",
    ),
    (&["expand"], "i,initial t,tabs= help version"),
    (&["unexpand"], "a,all first-only t,tabs= help version"),
    (
        &["column"],
        "t,table n,table-name= O,table-order= N,table-columns= l,table-columns-limit= E,table-noextreme= d,table-noheadings e,table-header-repeat H,table-hide= R,table-right= T,table-truncate= W,table-wrap= L,keep-empty-lines J,json r,tree= i,tree-id= p,tree-parent= \
         c,output-width= o,output-separator= s,separator= x,fillrows h,help V,version",
    ),
    (
        &["shuf"],
        "e,echo i,input-range= n,head-count= o,output= random-source= r,repeat z,zero-terminated help \
         version",
    ),
    (
        &["split"],
        "a,suffix-length= additional-suffix= b,bytes= C,line-bytes= d numeric-suffixes? x hex-suffixes? e,elide-empty-files filter= l,lines= n,number= t,separator= u,unbuffered verbose \
         help version",
    ),
    (
        &["csplit"],
        "b,suffix-format= f,prefix= k,keep-files suppress-matched n,digits= s,quiet,silent z,elide-empty-files help version",
    ),
    (
        &["diff", "colordiff"],
        "normal q,brief s,report-identical-files c,context? C= u,unified? U= e,ed n,rcs y,side-by-side W,width= left-column suppress-common-lines p,show-c-function F,show-function-line= \
         label= t,expand-tabs T,initial-tab tabsize= suppress-blank-empty l,paginate r,recursive no-dereference N,new-file unidirectional-new-file ignore-file-name-case no-ignore-file-name-case x,exclude= X,exclude-from= S,starting-file= from-file= to-file= i,ignore-case E,ignore-tab-expansion Z,ignore-trailing-space b,ignore-space-change w,ignore-all-space B,ignore-blank-lines I,ignore-matching-lines= a,text strip-trailing-cr D,ifdef= changed-group-format= \
         old-group-format= new-group-format= unchanged-group-format= line-format= old-line-format= \
         new-line-format= unchanged-line-format= d,minimal horizon-lines= speed-large-files color? \
         palette= help v,version",
    ),
    (
        &["sdiff"],
        "o,output= i,ignore-case E,ignore-tab-expansion Z,ignore-trailing-space b,ignore-space-change \
         W,ignore-all-space B,ignore-blank-lines I,ignore-matching-lines= strip-trailing-cr a,text \
         w,width= l,left-column s,suppress-common-lines t,expand-tabs tabsize= d,minimal H,speed-large-files diff-program= help v,version",
    ),
    (&["cmp"], "b,print-bytes i,ignore-initial= l,verbose n,bytes= s,quiet,silent help v,version"),
    (&["comm"], "1 2 3 check-order nocheck-order output-delimiter= total z,zero-terminated help version"),
    (
        &["join"],
        "a= e= i,ignore-case j= o= t= v= 1= 2= check-order nocheck-order header z,zero-terminated \
         help version",
    ),
    (
        &["md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "sum"],
        "b,binary c,check tag t,text z,zero ignore-missing quiet status strict w,warn help version",
    ),
    (
        &["b2sum"],
        "b,binary c,check l,length= tag t,text z,zero ignore-missing quiet status strict w,warn help \
         version",
    ),
    (
        &["cksum"],
        "a,algorithm= c,check l,length= tag untagged z,zero ignore-missing quiet status strict w,warn \
         debug help version",
    ),
    (&["iconv"], "f,from-code= t,to-code= l,list c o,output= s,silent verbose ?,help usage V,version"),
];

/// What programs that are not listed understand, as far as their files can be told from values.
const OTHERS: &str = "n,lines= c,bytes= s w= k= d= f= b= t= T= j= A= N= S= F= o= e= L= \
    delimiter= fields= characters= width= key= field-separator= output= separator= max-count= suffix-length= \
    from-code= to-code= label= unchanged-line-format= line-number language= theme= style= color?";

static PROGRAMS: Names<512> = index!(SPECS, (programs, _) => programs);

/// The options of a program.
pub(super) fn of(program: &str) -> &'static str {
    let named = PROGRAMS.rows(SPECS, program, |(names, _)| names).next();
    named.map_or(OTHERS, |(_, spec)| *spec)
}

/// The options of `grep` and its kin.
pub(super) const GREP: &str = "E,extended-regexp F,fixed-strings G,basic-regexp P,perl-regexp e,regexp= f,file= i,ignore-case \
    no-ignore-case w,word-regexp x,line-regexp z,null-data s,no-messages v,invert-match V,version \
    help m,max-count= b,byte-offset n,line-number line-buffered H,with-filename h,no-filename label= \
    o,only-matching q,quiet,silent binary-files= a,text I d,directories= D,devices= r,recursive \
    R,dereference-recursive include= exclude= exclude-from= exclude-dir= L,files-without-match \
    l,files-with-matches c,count T,initial-tab Z,null B,before-context= A,after-context= C,context= \
    group-separator= no-group-separator color? colour? U,binary";

/// The options of ripgrep.
pub(super) const RIPGREP: &str = "A,after-context= B,before-context= C,context= E,encoding= M,max-columns= T,type-not= d,max-depth,maxdepth= \
    e,regexp= f,file= g,glob= j,threads= m,max-count= r,replace= t,type= color= colors= context-separator= \
    dfa-size-limit= engine= field-context-separator= field-match-separator= generate= hostname-bin= \
    hyperlink-format= iglob= ignore-file= max-filesize= path-separator= pre= pre-glob= regex-size-limit= sort= \
    sortr= type-add= type-clear= F,fixed-strings L,follow H,with-filename I,no-filename N,no-line-number P,pcre2 \
    S,smart-case U,multiline a,text b,byte-offset c,count h i,ignore-case l,files-with-matches n,line-number \
    o,only-matching p,pretty q,quiet s,case-sensitive u,unrestricted v,invert-match w,word-regexp x,line-regexp \
    z,search-zip 0,null hidden . no-ignore no-ignore-vcs files files-without-match json stats trim vimgrep passthru heading \
    no-heading crlf null-data debug trace type-list sort-files one-file-system no-config no-messages";
